import type { Context } from "hono";
import type { TaskOptions } from "../platform/limits/concurrency-limit.ts";
import type { AppEnv } from "./app-env.ts";

/**
 * Aborts when the client disconnects or the process stops. For an operation: when it is removed or the process stops.
 * For another request with an Idempotency-Key: only when the process stops.
 */
export const clientSignal = (c: Context<AppEnv>): AbortSignal =>
  signalWithoutConnection(c) ?? c.get("connectionSignal")?.() ?? c.req.raw.signal;

/** True if nobody receives the response. */
export const hasClientLeft = (c: Context<AppEnv>): boolean => (signalWithoutConnection(c) ?? c.req.raw.signal).aborted;

/** The status of nginx for a client that left before the response. Only for logs and metrics. */
const clientClosedRequest = 499;

/** The status for logs and metrics. */
export const recordedStatus = (c: Context<AppEnv>): number => (hasClientLeft(c) ? clientClosedRequest : c.res.status);

const signalWithoutConnection = (c: Context<AppEnv>): AbortSignal | undefined =>
  c.env?.deferred?.signal ?? c.get("detachedSignal");

/** Options for tasks that only this request needs. */
export const taskOptions = (c: Context<AppEnv>): Required<TaskOptions> => ({
  owner: c.var.caller.user.id,
  signal: clientSignal(c),
});
