import { afterEach } from "bun:test";
import { PGlite } from "@electric-sql/pglite";
import { routesDuring } from "../../src/http/middleware/routes-in-flight.ts";
import { cpuMilliseconds, monitorEventLoop } from "../../src/platform/cpu.ts";

/**
 * Loaded before every test: prints each time that a test blocked the thread for longer than this while a request was in
 * flight. It fails no test: cold code on a slow machine takes that long without a fault. The bounds are in
 * test/bench, on a warm process.
 */
const maxMilliseconds = 500;

/** The queries since the last block. PGlite is WebAssembly on this thread: with a server, they would not block it. */
const queries: { readonly endedAt: number; readonly cpuMs: number }[] = [];
const maxQueries = 1000;

const { execProtocolRawSync } = PGlite.prototype;
PGlite.prototype.execProtocolRawSync = function (this: PGlite, message: Uint8Array) {
  const start = cpuMilliseconds();
  try {
    return execProtocolRawSync.call(this, message);
  } finally {
    queries.push({ endedAt: performance.now(), cpuMs: cpuMilliseconds() - start });
    if (queries.length > maxQueries) queries.shift();
  }
};

const found: string[] = [];
let previousTestEndedAt = 0;

const watch = monitorEventLoop({
  thresholdMilliseconds: maxMilliseconds,
  onStall(block) {
    const during = queries.splice(0).filter(({ endedAt }) => endedAt >= block.from);
    const cpuMs = Math.round(block.cpuMs - during.reduce((sum, query) => sum + query.cpuMs, 0));
    // a request that a test abandoned says nothing about later tests
    const routes = routesDuring({ ...block, since: previousTestEndedAt }, maxMilliseconds);
    if (cpuMs <= maxMilliseconds || routes.length === 0) return;
    found.push(`${routes.join(", ")} (${block.blockedMs} ms, ${cpuMs} ms of CPU time outside of the database)`);
  },
});

afterEach(() => {
  watch.check();
  previousTestEndedAt = performance.now();
  for (const block of found.splice(0)) {
    process.stderr.write(`${Bun.main} blocked the thread that answers: ${block}\n`);
  }
});
