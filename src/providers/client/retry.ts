import { setTimeout } from "node:timers/promises";
import { paymentOf } from "../../domain/ledger/paid-calls.ts";
import { TransientError } from "./error-responses.ts";

export const maxAttempts = 3;

/** Providers that request a longer pause are not retried: the caller gets the error and can retry later. */
const maxDelayMs = 10_000;

/** Resolves after the delay. Throws the signal's reason on abort. */
export async function sleep(delayMs: number, signal: AbortSignal): Promise<void> {
  try {
    await setTimeout(delayMs, undefined, { signal });
  } catch {
    throw signal.reason;
  }
}

/** Milliseconds to wait after `count` earlier waits; the first wait has count 0. */
export type Backoff = (count: number) => number;

export const exponentialBackoff =
  ({ firstMs, factor = 2, maxMs = Number.POSITIVE_INFINITY }: BackoffOptions): Backoff =>
  (count) =>
    Math.min(firstMs * factor ** count, maxMs);

type BackoffOptions = { readonly firstMs: number; readonly factor?: number; readonly maxMs?: number };

/** Milliseconds to wait before the next attempt; undefined if there must be none. `attempt` counts from 1. */
export type RetryPolicy = (error: unknown, attempt: number) => number | undefined;

const transientBackoff = exponentialBackoff({ firstMs: 400, factor: 3 });

/** Retries a TransientError, up to three attempts in all, after the provider's pause or 0.4 and 1.2 s. */
export const retryTransient: RetryPolicy = (error, attempt) => {
  if (!(error instanceof TransientError) || attempt >= maxAttempts) return undefined;
  const { retryAfterSeconds } = error;
  const delayMs = retryAfterSeconds === undefined ? transientBackoff(attempt - 1) : retryAfterSeconds * 1000;
  return delayMs <= maxDelayMs ? delayMs : undefined;
};

/** Like `retryTransient`, for a call that may be paid for: it is not repeated if it was sent and not answered. */
export const retryUnpaid: RetryPolicy = (error, attempt) =>
  paymentOf(error) === "free" ? retryTransient(error, attempt) : undefined;

/** Repeats a failed run according to the policy. Not for creating images or videos: a lost response is billed too. */
export async function withRetry<Result>(
  run: () => Promise<Result>,
  signal: AbortSignal,
  policy: RetryPolicy = retryTransient,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      const delayMs = policy(error, attempt);
      if (delayMs === undefined) throw error;
      await sleep(delayMs, signal);
    }
  }
}

type PollOptions<Value> = {
  readonly isDone: (value: Value) => boolean;
  readonly backoff: Backoff;
  readonly signal: AbortSignal;
};

/** Reads until a value is done, with a wait before each read. `first` is the known value. */
export async function poll<Value>(
  first: Value,
  read: () => Promise<Value>,
  { isDone, backoff, signal }: PollOptions<Value>,
): Promise<Value> {
  let value = first;
  for (let count = 0; !isDone(value); count++) {
    await sleep(backoff(count), signal);
    value = await read();
  }
  return value;
}
