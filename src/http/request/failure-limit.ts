import type { Context } from "hono";
import type { RateLimit, RateLimiter } from "../../domain/auth/rate-limit.ts";
import { type ErrorCode, isDomainError } from "../../errors.ts";
import type { AppEnv } from "../app-env.ts";
import { addressOf } from "./address.ts";

const perEmail: RateLimit = { points: 30, seconds: 60 };
const perAddress: RateLimit = { points: 300, seconds: 60 };

/** What a guesser meets; everybody else's work is never counted. Tokens of 256 bits are beyond guessing. */
const guesses: readonly ErrorCode[] = ["invalid_credentials", "email_taken"];

/** Slows down those who guess: after too many failures, about one e-mail or in all, an address has to wait. */
export const failureLimit =
  (limiter: RateLimiter) =>
  async <T>(c: Context<AppEnv>, email: string, work: () => Promise<T>): Promise<T> => {
    const address = addressOf(c);
    const limits = [
      [`failed ${address} ${email}`, perEmail],
      [`failed ${address}`, perAddress],
    ] as const;
    for (const [key, limit] of limits) await limiter.check(key, limit);
    try {
      return await work();
    } catch (error) {
      if (isDomainError(error) && guesses.includes(error.code)) {
        for (const [key, limit] of limits) await limiter.take(key, limit);
      }
      throw error;
    }
  };
