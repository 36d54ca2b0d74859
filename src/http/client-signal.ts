import type { Context } from "hono";
import type { AppEnv } from "./app-env.ts";

/**
 * Aborts when the client disconnects, or when the process stops. For an operation: when it is removed, or when the
 * process stops. For another request with an Idempotency-Key: only when the process stops.
 */
export const clientSignal = (c: Context<AppEnv>): AbortSignal =>
  signalWithoutConnection(c) ?? c.get("connectionSignal")?.() ?? c.req.raw.signal;

/** True if nobody receives the response. */
export const hasClientLeft = (c: Context<AppEnv>): boolean => (signalWithoutConnection(c) ?? c.req.raw.signal).aborted;

/** As nginx has it: the client left before the response was ready. For logs and metrics: nobody receives it. */
const clientClosedRequest = 499;

/** The status as logs and metrics have it. */
export const recordedStatus = (c: Context<AppEnv>): number => (hasClientLeft(c) ? clientClosedRequest : c.res.status);

const signalWithoutConnection = (c: Context<AppEnv>): AbortSignal | undefined =>
  c.env?.deferred?.signal ?? c.get("detachedSignal");
