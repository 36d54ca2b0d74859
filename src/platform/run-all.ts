import { concurrencyLimit } from "./limits/concurrency-limit.ts";

export type Task<T> = (signal: AbortSignal) => Promise<T>;

type RunAllOptions = { readonly concurrency: number; readonly signal: AbortSignal };

/** Runs tasks in parallel. The first failure aborts the others; when this settles, none is running. */
export async function runAll<T>(tasks: readonly Task<T>[], { concurrency, signal }: RunAllOptions): Promise<T[]> {
  const limit = concurrencyLimit({ concurrency });
  const failure = new AbortController();
  const taskSignal = AbortSignal.any([signal, failure.signal]);
  const running = tasks.map((task) =>
    limit(async () => {
      taskSignal.throwIfAborted();
      return await task(taskSignal);
    }).catch((error) => {
      failure.abort(error);
      throw error;
    }),
  );
  await Promise.allSettled(running);
  signal.throwIfAborted();
  failure.signal.throwIfAborted();
  return await Promise.all(running);
}
