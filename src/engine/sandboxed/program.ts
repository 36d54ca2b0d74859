import { isDomainError } from "../../errors.ts";
import { mapDiskFull } from "../../platform/disk-full.ts";
import type { TaskMessage } from "../sandbox/contract.ts";
import { linesOf } from "../sandbox/lines.ts";
import { runTask } from "./tasks.ts";

/** Above this, garbage is collected after a task. */
const collectAboveBytes = 256 * 2 ** 20;
/** Above this, the process is replaced: the next task needs the memory. */
const wornAboveBytes = 512 * 2 ** 20;

async function answerTo(task: TaskMessage): Promise<object> {
  try {
    const result = await mapDiskFull(runTask(task));
    return { outcome: "done", result: result ?? null, shouldRecycle: shouldRecycle() };
  } catch (error) {
    if (!isDomainError(error)) return { outcome: "failed", message: String(error).slice(0, 500) };
    // an image may be refused after its pixels were decoded, and libavif keeps those of a damaged one
    return { outcome: "refused", refusal: { code: error.code, facts: error.facts }, shouldRecycle: shouldRecycle() };
  }
}

function shouldRecycle(): boolean {
  if (process.memoryUsage.rss() < collectAboveBytes) return false;
  Bun.gc(true);
  return process.memoryUsage.rss() > wornAboveBytes;
}

const print = (answer: object) => Bun.write(Bun.stdout, `${JSON.stringify(answer)}\n`);

// safe because only process.ts starts this program and writes tasks
const readTask = (line: string) => JSON.parse(line) as TaskMessage;

await print({ outcome: "ready" });
// ends with the parent, which holds the other end of the pipe
for await (const line of linesOf(Bun.stdin.stream())) {
  await print({ outcome: "started" });
  await print(await answerTo(readTask(line)));
}
