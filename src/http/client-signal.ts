import type { Context } from "hono";
import type { AppEnv } from "./app-env.ts";

/**
 * Aborts when the client disconnects. For an operation: when it is removed, or when the process stops. For another
 * request with an Idempotency-Key: only when the process stops.
 */
export const clientSignal = (c: Context<AppEnv>): AbortSignal =>
  c.env?.deferred?.signal ?? c.get("detachedSignal") ?? c.req.raw.signal;
