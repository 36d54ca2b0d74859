/** At most `points` calls per key within `seconds`. */
export type RateLimit = { readonly points: number; readonly seconds: number };

/** The limit of one key. */
export type Allowance = RateLimit & { readonly key: string };

/** Counts across all processes. Each pair of key and limit has its own count. */
export type RateLimiter = {
  /** Takes one point of the key. Throws rate_limited if none is left. */
  consume(key: string, limit: RateLimit): Promise<void>;
  /** Takes one point of each allowance. Takes none and throws rate_limited if one of them has none left. */
  take(allowances: readonly Allowance[]): Promise<void>;
  /** For each allowance the seconds until it has points again; 0 if it has. */
  waits(allowances: readonly Allowance[]): Promise<readonly number[]>;
  /** Gives back one point of each allowance. */
  giveBack(allowances: readonly Allowance[]): Promise<void>;
  /** Takes all points for the allowance's seconds from now. */
  takeAll(allowance: Allowance): Promise<void>;
  removeExpired(now: number): Promise<void>;
};
