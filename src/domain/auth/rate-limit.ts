/** So many calls in so many seconds. */
export type RateLimit = { readonly points: number; readonly seconds: number };

export type RateLimiter = {
  /** Takes one of the key's points; throws rate_limited when none is left, over all processes together. */
  take(key: string, limit: RateLimit): Promise<void>;
  /** Throws as `take` would, and takes nothing: for limits on failures, which are known only afterwards. */
  check(key: string, limit: RateLimit): Promise<void>;
};
