import { isUnavailable } from "../../errors.ts";

const maxAttempts = 30;
const pauseMs = 2_000;

/** Tries again for a minute while the database is away, for what nobody else has. Throws the last error. */
export async function throughOutage<Result>(run: () => Promise<Result>): Promise<Result> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await run();
    } catch (error) {
      if (!isUnavailable(error) || attempts === maxAttempts) throw error;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}
