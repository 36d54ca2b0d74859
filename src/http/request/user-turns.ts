import type { Context } from "hono";
import { matchedRoutes } from "hono/route";
import { concurrencyLimit } from "../../platform/concurrency-limit.ts";
import type { AppEnv } from "../app-env.ts";

/**
 * A large list or body keeps the thread and the embedded database busy for up to 100 ms: the requests of other users wait
 * for this many of one user at most.
 */
const perOwner = 4;

const limit = concurrencyLimit({ concurrency: Number.POSITIVE_INFINITY, perOwner });

const longRunning = new WeakSet<object>();

/** Marks a middleware of routes that wait for something other than this process. They have limits of their own. */
export function markLongRunning<Handler extends object>(handler: Handler): Handler {
  longRunning.add(handler);
  return handler;
}

/** Runs a request when few others of the same user are running. */
export async function inTurn(c: Context<AppEnv>, owner: string, next: () => Promise<void>): Promise<void> {
  const isLongRunning = matchedRoutes(c).some(({ handler }) => longRunning.has(handler));
  if (isLongRunning) await next();
  else await limit(next, { owner, signal: c.req.raw.signal });
}
