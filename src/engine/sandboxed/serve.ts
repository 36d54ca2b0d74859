import { isDomainError } from "../../errors.ts";
import { mapDiskFull } from "../../platform/files.ts";
import type { TaskMessage } from "../sandbox/contract.ts";
import { linesOf } from "../sandbox/lines.ts";

/** Above this limit, garbage is collected after a task. */
const collectAboveBytes = 256 * 2 ** 20;
/** Above this limit, the process is replaced: the next task needs the memory. */
const wornAboveBytes = 512 * 2 ** 20;

/** The function of each kind of task. */
export type TaskTable = { readonly [kind: string]: (input: never) => Promise<unknown> };

async function answerTo(tasks: TaskTable, { kind, input }: TaskMessage): Promise<object> {
  try {
    // safe because both sides of the pipe use the same inputs for a kind
    const run = tasks[kind] as (input: unknown) => Promise<unknown>;
    const result = await mapDiskFull(run(input));
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

/** Serves tasks in their order until the parent ends, which holds the other end of the pipe. */
export async function serveTasks(tasks: TaskTable): Promise<void> {
  await print({ outcome: "ready" });
  for await (const line of linesOf(Bun.stdin.stream())) {
    await print({ outcome: "started" });
    await print(await answerTo(tasks, readTask(line)));
  }
}
