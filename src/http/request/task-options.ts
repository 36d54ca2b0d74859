import type { Context } from "hono";
import type { TaskOptions } from "../../platform/task-options.ts";
import type { AppEnv } from "../app-env.ts";
import { clientSignal } from "../client-signal.ts";

/** Options for tasks that only this request needs. */
export const taskOptions = (c: Context<AppEnv>): Required<TaskOptions> => ({
  owner: c.var.caller.user.id,
  signal: clientSignal(c),
});
