/** At most `points` calls per key within `seconds`. */
export type RateLimit = { readonly points: number; readonly seconds: number };

export type Allowance = RateLimit & { readonly key: string };

/**
 * Counts immediately in this process, and within a second across all processes. For load limits far above normal use: a
 * count may exceed its points by those that the other processes take in that time.
 */
export type RequestLimiter = {
  /** Takes one point. Throws rate_limited if none is left. */
  take(allowance: Allowance): void;
};

/** Counts across all processes. Each pair of key and limit has its own count. */
export type RateLimiter = {
  /** Takes one point of each allowance. Takes none and throws rate_limited if one of them has none left. */
  take(allowances: readonly Allowance[]): Promise<void>;
  /** The seconds until each allowance has points again; 0 if it has some. */
  waits(allowances: readonly Allowance[]): Promise<readonly number[]>;
  /** Gives back one point of each allowance. */
  giveBack(allowances: readonly Allowance[]): Promise<void>;
  /** Takes all points for the allowance's seconds from now. */
  takeAll(allowance: Allowance): Promise<void>;
  /** Removes one group of expired records. Returns their number. */
  removeExpired(now: number): Promise<number>;
};
