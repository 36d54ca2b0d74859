import { createHash } from "node:crypto";
import { RateLimiterDrizzle, RateLimiterRes } from "rate-limiter-flexible";
import type { RateLimit, RateLimiter } from "../../domain/auth/rate-limit.ts";
import { DomainError } from "../../errors.ts";
import type { Database } from "./database.ts";
import { withDatabaseTimeout } from "./errors.ts";
import { rateLimits } from "./tables/auth.ts";

export function rateLimiter(db: Database): RateLimiter {
  const limiters = new Map<string, RateLimiterDrizzle>();

  const limiterFor = ({ points, seconds }: RateLimit) => {
    const name = `${points}/${seconds}`;
    const known = limiters.get(name);
    if (known) return known;
    const limiter = new RateLimiterDrizzle({
      storeClient: db,
      schema: rateLimits,
      keyPrefix: name,
      points,
      duration: seconds,
      // all limiters share the table; the first one deletes the expired rows
      clearExpiredByTimeout: limiters.size === 0,
    });
    limiters.set(name, limiter);
    return limiter;
  };

  return withDatabaseTimeout({
    async consume(key, limit) {
      try {
        await limiterFor(limit).consume(hashKey(key));
      } catch (refusal) {
        throw refusal instanceof RateLimiterRes ? rateLimited(refusal) : refusal;
      }
    },

    async check(key, limit) {
      const state = await limiterFor(limit).get(hashKey(key));
      if (state && state.consumedPoints >= limit.points) throw rateLimited(state);
    },
  });
}

const rateLimited = ({ msBeforeNext }: RateLimiterRes) =>
  new DomainError("rate_limited", { retryAfterSeconds: Math.max(1, Math.ceil(msBeforeNext / 1000)) });

/** Keys contain e-mail and IP addresses; the table stores a short digest instead. */
const hashKey = (key: string) => createHash("sha256").update(key).digest("base64url");
