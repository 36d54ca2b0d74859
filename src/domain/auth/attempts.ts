import { DomainError } from "../../errors.ts";
import type { Allowance, RateLimit, RateLimiter } from "./rate-limit.ts";

/** Where a request comes from. All addresses of one `network` count as one client. */
export type ClientAddress = { readonly network: string; readonly isLoopback: boolean };

/** Someone at an address who names an account. */
export type Attempt = { readonly email: string; readonly address: ClientAddress };

/** Failures of one client at one account. */
export const perPair: RateLimit = { points: 30, seconds: 60 };

/** Failures of one client at all accounts: bounds the guesses from a list of leaked passwords or of addresses. */
export const perClient: RateLimit = { points: 300, seconds: 60 };

/** E-mails of accounts have at most 254 characters: those of longer ones that begin alike may share a count. */
export const accountOf = ({ email }: Attempt): string => email.slice(0, 255);

export const pairOf = (attempt: Attempt): string => `${attempt.address.network} ${accountOf(attempt)}`;

/** A pair of account and address is known for 30 days after a login or the registration: its only point is taken. */
export const knownMark = (attempt: Attempt): Allowance => ({
  key: `known ${pairOf(attempt)}`,
  points: 1,
  seconds: 30 * 86_400,
});

/** Throws rate_limited unless all waits are 0. */
export function refuseDuring(waits: readonly number[]): void {
  const seconds = Math.max(0, ...waits);
  if (seconds > 0) throw new DomainError("rate_limited", { retryAfterSeconds: Math.ceil(seconds) });
}

/** Lets `run` take points, and gives them back unless the outcome costs them. The error of a success is undefined. */
export async function withPoints<T>(
  rateLimiter: RateLimiter,
  allowances: readonly Allowance[],
  isCharged: (error: unknown) => boolean,
  run: (takePoints: () => Promise<void>) => Promise<T>,
): Promise<T> {
  let taken: readonly Allowance[] = [];
  const takePoints = async () => {
    await rateLimiter.take(allowances);
    taken = allowances;
  };
  const [outcome] = await Promise.allSettled([run(takePoints)]);
  const error = outcome.status === "rejected" ? outcome.reason : undefined;
  if (!isCharged(error)) await rateLimiter.giveBack(taken);
  if (outcome.status === "rejected") throw error;
  return outcome.value;
}
