import { afterEach } from "bun:test";
import { routesDuring } from "../../src/http/middleware/routes-in-flight.ts";
import { watchThread } from "../../src/platform/thread-watch.ts";

/**
 * Loaded before every test: fails a test that blocks the thread for longer than this while a request is in flight. Both
 * the time and the thread's CPU time count, so that a busy machine fails nothing.
 */
const maxMilliseconds = 500;

const found: string[] = [];

const watch = watchThread({
  thresholdMilliseconds: maxMilliseconds,
  onBlock(block) {
    const routes = routesDuring(block, maxMilliseconds);
    if (block.cpuMs <= maxMilliseconds || routes.length === 0) return;
    found.push(`${routes.join(", ")} (${block.blockedMs} ms, ${block.cpuMs} ms of CPU time)`);
  },
});

afterEach(() => {
  watch.check();
  const blocks = found.splice(0);
  if (blocks.length > 0) throw new Error(`${Bun.main} blocked the thread that answers: ${blocks.join("; ")}.`);
});
