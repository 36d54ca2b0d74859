import { isDomainError, isUnavailable } from "../../errors.ts";
import { throughOutage } from "../shared/outages.ts";
import { CheckpointedSteps, type Checkpoints, noCheckpoints } from "./checkpoints.ts";

/**
 * Runs a use case that is paid for. Without an Idempotency-Key, nobody but this request has what was paid for: if the
 * database or the store is away then, the use case runs again until it is back, within a bound.
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
      // what still passes is best said by the first error
      throw isPassing(last) || clientSignal.aborted ? first : last;
    });
  }
}

/** The lock of a scene outlives an attempt that met an outage. */
const isPassing = (error: unknown): boolean =>
  isUnavailable(error) || (isDomainError(error) && error.code === "request_in_progress");
