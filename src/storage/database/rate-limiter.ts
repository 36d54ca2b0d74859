import { createHash } from "node:crypto";
import { RateLimiterDrizzle, RateLimiterRes } from "rate-limiter-flexible";
import type { RateLimit, RateLimiter } from "../../domain/auth/rate-limit.ts";
import { DomainError } from "../../errors.ts";
import type { Database } from "./database.ts";
import { withDatabaseTimeout } from "./errors.ts";
import { rateLimits } from "./schema.ts";

export function rateLimiter(db: Database): RateLimiter {
  const limiters = new Map<string, RateLimiterDrizzle>();

  const limiterOf = ({ points, seconds }: RateLimit) => {
    const name = `${points}/${seconds}`;
    const known = limiters.get(name);
    if (known) return known;
    // one of them cleans the table for all
    const clearExpiredByTimeout = limiters.size === 0;
    const storage = { storeClient: db, schema: rateLimits, keyPrefix: name, clearExpiredByTimeout };
    const limiter = new RateLimiterDrizzle({ ...storage, points, duration: seconds });
    limiters.set(name, limiter);
    return limiter;
  };

  return withDatabaseTimeout({
    async take(key, limit) {
      try {
        await limiterOf(limit).consume(digestOf(key));
      } catch (refusal) {
        throw refusal instanceof RateLimiterRes ? rateLimited(refusal) : refusal;
      }
    },

    async check(key, limit) {
      const state = await limiterOf(limit).get(digestOf(key));
      if (state && state.consumedPoints >= limit.points) throw rateLimited(state);
    },
  });
}

const rateLimited = ({ msBeforeNext }: RateLimiterRes) =>
  new DomainError("rate_limited", { retryAfterSeconds: Math.max(1, Math.ceil(msBeforeNext / 1000)) });

/** Keys name people and their addresses: the table need not, and a digest is short. */
const digestOf = (key: string) => createHash("sha256").update(key).digest("base64url");
