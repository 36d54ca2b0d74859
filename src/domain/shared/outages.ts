import { isUnavailable } from "../../errors.ts";

const maxAttempts = 30;
const pauseMs = 2_000;

/** Tries again for a minute while the database or the store is away, for what nobody else has. Throws the last error. */
export async function throughOutage<Result>(run: () => Promise<Result>, isPassing = isUnavailable): Promise<Result> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await run();
    } catch (error) {
      if (!isPassing(error) || attempts === maxAttempts) throw error;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}
