import type { Context } from "hono";
import type { RateLimit, RateLimiter } from "../../domain/auth/rate-limit.ts";
import { type ErrorCode, isDomainError } from "../../errors.ts";
import type { AppEnv } from "../app-env.ts";

const perEmail: RateLimit = { points: 30, seconds: 60 };
const perAddress: RateLimit = { points: 300, seconds: 60 };

/** Only failed guesses count. Wrong tokens do not: 256 random bits cannot be guessed. */
const countedErrors: readonly ErrorCode[] = ["invalid_credentials", "email_taken"];

/** Limits failed attempts per client address, and per address and e-mail; throws rate_limited before `attempt` runs. */
export const failureLimit =
  (limiter: RateLimiter) =>
  async <T>(c: Context<AppEnv>, email: string, attempt: () => Promise<T>): Promise<T> => {
    const address = clientAddress(c);
    const limits = [
      [`failed ${address} ${email}`, perEmail],
      [`failed ${address}`, perAddress],
    ] as const;
    for (const [key, limit] of limits) await limiter.check(key, limit);
    try {
      return await attempt();
    } catch (error) {
      if (isDomainError(error) && countedErrors.includes(error.code)) {
        for (const [key, limit] of limits) await limiter.consume(key, limit);
      }
      throw error;
    }
  };

/** The address of the TCP peer. X-Forwarded-For is ignored: any client can set it. */
const clientAddress = (c: Context<AppEnv>): string => c.env?.requestIP?.(c.req.raw)?.address ?? "unknown";
