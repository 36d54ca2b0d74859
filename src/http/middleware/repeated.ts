import type { Context } from "hono";
import { matchedRoutes } from "hono/route";
import { CheckpointedSteps, noCheckpoints } from "../../domain/idempotency/checkpoints.ts";
import { throughOutage } from "../../domain/shared/outages.ts";
import { isDomainError, isUnavailable } from "../../errors.ts";
import type { AppEnv } from "../app-env.ts";
import { clientSignal } from "../client-signal.ts";
import { errorHandler } from "../response/error-response.ts";

/**
 * Runs the handler of a request without an Idempotency-Key. If the database or the store is away when something is paid
 * for, the handler runs again until it is back, within a bound: nobody but this request has what was paid for.
 */
export async function runUntilStored(c: Context<AppEnv>, next: () => Promise<void>): Promise<void> {
  if (c.get("checkpoints") !== noCheckpoints) return next();
  const signal = clientSignal(c);
  const steps = CheckpointedSteps.held(signal);
  c.set("checkpoints", steps);
  await next();
  const { error, res } = c;
  await steps.settled();
  if (!isUnavailable(error) || !steps.holdsAllThatWasPaid()) return;
  try {
    await throughOutage(() => runAgain(c, signal), isPassing);
  } catch (last) {
    // what still passes is best said by the first error
    const isPast = !isPassing(last) && !signal.aborted && last instanceof Error;
    answer(c, isPast ? await errorHandler(last, c) : res, isPast ? last : error);
  }
}

/** The lock of a scene outlives an attempt that met an outage. */
const isPassing = (error: unknown): boolean =>
  isUnavailable(error) || (isDomainError(error) && error.code === "request_in_progress");

async function runAgain(c: Context<AppEnv>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  // no header of the response that there was may stay
  answer(c, undefined, undefined);
  c.finalized = false;
  const { handler } = matchedRoutes(c)[c.req.routeIndex]!;
  const response = await handler(c, async () => {});
  if (response) c.res = response;
}

function answer(c: Context<AppEnv>, response: Response | undefined, error: Error | undefined): void {
  c.res = undefined;
  c.res = response;
  c.error = error;
}
