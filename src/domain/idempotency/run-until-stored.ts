import { isDomainError, isUnavailable } from "../../errors.ts";
import { throughOutage } from "../shared/outages.ts";
import { CheckpointedSteps, type Checkpoints, noCheckpoints } from "./checkpoints.ts";

/**
 * Runs a paid use case. Without an Idempotency-Key only this request has the paid result: if the database or the store
 * is unavailable, the use case runs again until it has recovered, within a limit.
 */
export async function runUntilStored<Result>(
  checkpoints: Checkpoints,
  clientSignal: AbortSignal,
  run: (checkpoints: Checkpoints) => Promise<Result>,
): Promise<Result> {
  if (checkpoints !== noCheckpoints) return run(checkpoints);
  const steps = CheckpointedSteps.held(clientSignal);
  try {
    return await run(steps);
  } catch (first) {
    await steps.settled();
    if (!isUnavailable(first) || !steps.holdsAllThatWasPaid()) throw first;
    const runAgain = () => {
      clientSignal.throwIfAborted();
      return run(steps);
    };
    return throughOutage(runAgain, { isPassing }).catch((last) => {
      // the first error describes a continuing outage best
      throw isPassing(last) || clientSignal.aborted ? first : last;
    });
  }
}

/** The lock of a scene outlives an attempt during an outage. */
const isPassing = (error: unknown): boolean =>
  isUnavailable(error) || (isDomainError(error) && error.code === "request_in_progress");
