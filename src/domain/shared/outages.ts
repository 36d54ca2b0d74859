import { setTimeout as sleep } from "node:timers/promises";
import { isUnavailable } from "../../errors.ts";

const pauseMs = 1_000;
const maxAttempts = 60;

type OutageOptions = {
  /** By default, true if the database or the store is unavailable. */
  readonly isPassing?: (error: unknown) => boolean;
  readonly signal?: AbortSignal;
};

/** Retries work that exists only here, for a minute plus the time of its attempts. Throws the last error, or the abort. */
export async function throughOutage<Result>(
  run: () => Promise<Result>,
  { isPassing = isUnavailable, signal }: OutageOptions = {},
): Promise<Result> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await run();
    } catch (error) {
      if (!isPassing(error) || (!signal && attempts === maxAttempts)) throw error;
      await sleep(pauseMs, undefined, { signal });
    }
  }
}
