/** At most `points` calls per key within `seconds`. */
export type RateLimit = { readonly points: number; readonly seconds: number };

export type RateLimiter = {
  /** Consumes one point of the key, counted across all processes. Throws rate_limited if none is left. */
  consume(key: string, limit: RateLimit): Promise<void>;
  /** Throws as `consume` does without consuming a point: for limits on failures, which are known only afterwards. */
  check(key: string, limit: RateLimit): Promise<void>;
};
