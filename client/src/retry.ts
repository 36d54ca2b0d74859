import { ApiError } from "./errors.ts";

/** A longer wait is left to the caller. */
const maxRetryAfterSeconds = 60;
const firstDelayMs = 300;
const maxDelayMs = 10_000;

/** Responses of a service or proxy that is overloaded, restarting, or still handling the first attempt. */
const temporaryStatuses: ReadonlySet<number> = new Set([408, 429, 502, 503, 504]);

const isAbort = (error: unknown): boolean =>
  error instanceof Error && (error.name === "AbortError" || error.name === "TimeoutError");

/** True if the same request may succeed later: no connection, or a response that says so. */
export function isTemporary(error: unknown): boolean {
  if (!(error instanceof ApiError)) return error instanceof Error && !isAbort(error);
  if ((error.retryAfterSeconds ?? 0) > maxRetryAfterSeconds) return false;
  return error.code === "request_in_progress" || temporaryStatuses.has(error.status);
}

/** The delay before attempt `attempt` (from 1), with jitter, so that clients do not all retry together. */
export function delayMs(attempt: number, error?: unknown): number {
  const backoff = Math.min(maxDelayMs, firstDelayMs * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2);
  const retryAfterSeconds = error instanceof ApiError ? (error.retryAfterSeconds ?? 0) : 0;
  return Math.max(backoff, 1000 * retryAfterSeconds);
}

/** Rejects with the signal's reason when it aborts. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

type RetryOptions = {
  /** The number of attempts. */
  readonly attempts: number;
  readonly signal?: AbortSignal | undefined;
};

/** Retries `send` after temporary failures, and throws the last failure. */
export async function withRetries<Result>(send: () => Promise<Result>, options: RetryOptions): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await send();
    } catch (error) {
      options.signal?.throwIfAborted();
      if (attempt >= options.attempts || !isTemporary(error)) throw error;
      await sleep(delayMs(attempt, error), options.signal);
    }
  }
}
