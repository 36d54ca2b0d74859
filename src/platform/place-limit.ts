import { DomainError } from "../errors.ts";

type PlaceLimitOptions = {
  readonly perOwner: number;
  readonly total: number;
  /** The retry delay that both errors carry. */
  readonly retryAfterSeconds: number;
};

/** Takes a place for an owner and returns the function that frees it; calling that again has no effect. */
export type PlaceLimit = (owner: string) => () => void;

/**
 * Bounds what may be open at once in this process. Nothing waits: taking a place throws rate_limited if the owner has
 * `perOwner`, and busy if `total` are taken.
 */
export function placeLimit({ perOwner, total, retryAfterSeconds }: PlaceLimitOptions): PlaceLimit {
  const takenBy = new Map<string, number>();
  let taken = 0;

  const change = (owner: string, by: 1 | -1) => {
    taken += by;
    const count = (takenBy.get(owner) ?? 0) + by;
    if (count > 0) takenBy.set(owner, count);
    else takenBy.delete(owner);
  };

  return (owner) => {
    if ((takenBy.get(owner) ?? 0) >= perOwner) throw new DomainError("rate_limited", { retryAfterSeconds });
    if (taken >= total) throw new DomainError("busy", { retryAfterSeconds });
    change(owner, 1);
    let isFree = false;
    return () => {
      if (!isFree) change(owner, -1);
      isFree = true;
    };
  };
}
