import { PassingTrouble } from "./error-responses.ts";

export const maxTries = 3;

/** Longer than this nobody waits for a provider: the caller is told to come back. */
const maxPauseSeconds = 10;

/** The pause before the next try in milliseconds, or undefined when trying again is no use. `tries` were made so far. */
export function pauseAfter(error: unknown, tries: number): number | undefined {
  if (!(error instanceof PassingTrouble) || tries >= maxTries) return undefined;
  const seconds = error.toldSeconds ?? 0.4 * 3 ** (tries - 1);
  return seconds <= maxPauseSeconds ? seconds * 1000 : undefined;
}

/** Throws the signal's reason when it aborts meanwhile. */
export const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", abort);
      resolve();
    }, milliseconds);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
  });

/** Runs again what failed for the moment only. Never for what costs money. */
export async function patiently<Result>(run: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await run();
    } catch (error) {
      const wait = pauseAfter(error, tries);
      if (wait === undefined || signal.aborted) throw error;
      await pause(wait, signal);
    }
  }
}
