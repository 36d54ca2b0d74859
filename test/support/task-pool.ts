import { join } from "node:path";
import { taskPool } from "../../src/engine/sandbox/task-pool.ts";
import { once } from "../../src/platform/async.ts";

/** The processes of a test process, with the tasks of the whole service. */
export const serviceTaskPool = once(() => taskPool({ program: join(import.meta.dir, "../../src/sandboxed.ts") }));
