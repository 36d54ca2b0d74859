/** The seconds that a Retry-After header names, in number or by a date; undefined when it says neither. */
export function parseRetryAfter(header: string | null | undefined): number | undefined {
  const told = header?.trim();
  if (!told) return undefined;
  const seconds = Number(told);
  const wait = Number.isNaN(seconds) ? (Date.parse(told) - Date.now()) / 1000 : seconds;
  return Number.isFinite(wait) ? Math.max(wait, 0) : undefined;
}

/** What was tried is to be tried again, and not before so many seconds: a queue waits as long as it would have, or longer. */
export class RetryAfterError extends Error {
  override readonly name = "TryLater";

  constructor(
    message: string,
    readonly seconds: number,
  ) {
    super(message);
  }
}
