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
