import { DomainError } from "../../errors.ts";

type SlotLimitOptions = {
  readonly perOwner: number;
  readonly total: number;
  /** The retry delay in both errors. */
  readonly retryAfterSeconds: number;
};

/**
 * Takes a slot for an owner and returns the function that frees it; calling that again has no effect. Without a free
 * slot, the oldest holder with `giveWay` is told to end, and loses its slot.
 */
export type SlotLimit = (owner: string, giveWay?: () => void) => () => void;

type Holder = { readonly owner: string; readonly giveWay: () => void };

/**
 * Limits what may be open at once in this process, without waiting: throws rate_limited if the owner has `perOwner`
 * slots, and busy if `total` are taken, unless a holder gives way.
 */
export function slotLimit({ perOwner, total, retryAfterSeconds }: SlotLimitOptions): SlotLimit {
  const takenBy = new Map<string, number>();
  let taken = 0;
  /** Holders that give way, in the order of their calls. */
  const yielding = new Map<Holder, () => void>();

  const change = (owner: string, by: 1 | -1) => {
    taken += by;
    const count = (takenBy.get(owner) ?? 0) + by;
    if (count > 0) takenBy.set(owner, count);
    else takenBy.delete(owner);
  };

  /** Frees the slot of a holder; false if none gives way. */
  const makeRoom = (isAsked: (holder: Holder) => boolean): boolean => {
    const [holder, free] = yielding.entries().find(([holder]) => isAsked(holder)) ?? [];
    free?.();
    holder?.giveWay();
    return holder !== undefined;
  };

  return (owner, giveWay) => {
    const isFull = (takenBy.get(owner) ?? 0) >= perOwner;
    if (isFull && !makeRoom((holder) => holder.owner === owner))
      throw new DomainError("rate_limited", { retryAfterSeconds });
    if (taken >= total && !makeRoom(() => true)) throw new DomainError("busy", { retryAfterSeconds });
    change(owner, 1);
    const holder = giveWay && { owner, giveWay };
    let isFree = false;
    const free = () => {
      if (!isFree) change(owner, -1);
      isFree = true;
      if (holder) yielding.delete(holder);
    };
    if (holder) yielding.set(holder, free);
    return free;
  };
}
