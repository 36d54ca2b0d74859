import { patientGate } from "../../platform/concurrency-limit.ts";

export type Task<T> = (signal: AbortSignal) => Promise<T>;

/** Runs tasks, some at a time. The first failure stops the others, and when this settles nothing runs on. */
export async function together<T>(tasks: readonly Task<T>[], signal: AbortSignal, atOnce: number): Promise<T[]> {
  const oneOfFew = patientGate(atOnce);
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);
  const running = tasks.map((task) =>
    oneOfFew(async () => {
      either.throwIfAborted();
      return await task(either);
    }).catch((error) => {
      failed.abort(error);
      throw error;
    }),
  );
  await Promise.allSettled(running);
  signal.throwIfAborted();
  failed.signal.throwIfAborted();
  return await Promise.all(running);
}
