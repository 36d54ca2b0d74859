import { concurrencyLimit } from "./limits/concurrency-limit.ts";

/** Makes a value at the first call, and returns it at every call. */
export function once<Result>(make: () => Result): () => Result {
  let made: { readonly value: Result } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Like `once`, for each key. */
export function oncePer<Args extends readonly unknown[], Result>(
  keyOf: (...args: Args) => string,
  make: (...args: Args) => Result,
): (...args: Args) => Result {
  const made = new Map<string, Result>();
  return (...args) => {
    const key = keyOf(...args);
    const value = made.has(key) ? made.get(key)! : make(...args);
    made.set(key, value);
    return value;
  };
}

/** Like `once`, but a failure is forgotten: the next call retries. */
export function onceSuccessful<Result>(make: () => Promise<Result>): () => Promise<Result> {
  let made: Promise<Result> | undefined;
  return () => {
    made ??= make().catch((error) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}

/** Shares one run among all callers while it runs. */
export function shared<Args extends readonly unknown[], Result>(
  run: (...args: Args) => Promise<Result>,
): (...args: Args) => Promise<Result> {
  let running: Promise<Result> | undefined;
  return (...args) => {
    running ??= run(...args).finally(() => {
      running = undefined;
    });
    return running;
  };
}

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

/** A signal that aborts with another one until `release`. */
export type LinkedSignal = { readonly signal: AbortSignal; release(): void };

/**
 * Follows a signal that lives as long as the process. AbortSignal.any is not enough: its result is kept as long as its
 * sources if anything listens, so each request would stay in memory.
 */
export function linkSignal(source: AbortSignal): LinkedSignal {
  const linked = new AbortController();
  const abort = () => linked.abort(source.reason);
  if (source.aborted) abort();
  else source.addEventListener("abort", abort, { once: true });
  return { signal: linked.signal, release: () => source.removeEventListener("abort", abort) };
}

/** The reason of signals that abort because the process stops: the interrupted work can be resumed later. */
export const processStopped = new Error("The process stops.");

/** The reason for requests that cannot be resumed: they end as if their client had left, with 503. */
export const requestInterrupted = new Error("The process stops, and the request with it.");

export const isProcessStop = ({ reason }: AbortSignal): boolean => reason === processStopped;

/** Seconds from now that a Retry-After header gives, as a number or an HTTP date; undefined if it is neither. */
export function parseRetryAfter(header: string | null | undefined): number | undefined {
  const value = header?.trim();
  if (!value) return undefined;
  const number = Number(value);
  const seconds = Number.isNaN(number) ? (Date.parse(value) - Date.now()) / 1000 : number;
  return Number.isFinite(seconds) ? Math.max(seconds, 0) : undefined;
}

/**
 * Thrown by a job to request a retry after at least `seconds`; the queue's own backoff applies if it is longer. With
 * `isOver`, this process takes no job of the queue until it resolves to true.
 */
export class RetryAfterError extends Error {
  override readonly name: string = "RetryAfterError";

  constructor(
    message: string,
    readonly seconds: number,
    readonly isOver?: () => Promise<boolean>,
  ) {
    super(message);
  }
}
