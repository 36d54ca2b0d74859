import { setTimeout } from "node:timers/promises";
import { type HeldLease, type LeasePorts, takeLease } from "../../../platform/leases.ts";

type SingleFlightOptions<Item> = {
  readonly signal: AbortSignal;
  /** Takes items from the cache; returns the missing ones. */
  readonly take: (items: readonly Item[]) => Promise<readonly Item[]>;
  /** Makes several items together and adds them to the cache. */
  readonly make: (missing: readonly Item[]) => Promise<void>;
  /** Holds the leases of all items. */
  readonly reserved?: HeldLease | undefined;
};

/** Items that another caller or process is making are awaited; if that fails, they are made here. */
export type SingleFlight = {
  provide<Item extends { readonly key: string }>(
    items: readonly Item[],
    options: SingleFlightOptions<Item>,
  ): Promise<void>;
  /**
   * Leases all items of a job together: one statement instead of one per call of `provide`. Undefined if another job
   * has one of them: a job must not wait for another one while it holds leases.
   */
  reserve(items: readonly { readonly key: string }[]): Promise<HeldLease | undefined>;
};

type Flight = { readonly making: Promise<unknown>; readonly reserved: HeldLease | undefined };

/** The first interval at which the cache is polled for items that another process is making; it grows. */
const minPollMs = 200;
const maxPollMs = 1_000;

export function singleFlight(ports: LeasePorts): SingleFlight {
  /** Items that this process is making or awaiting from another, by key. */
  const inFlight = new Map<string, Flight>();

  const provide: SingleFlight["provide"] = async (items, options) => {
    const { signal, take, reserved } = options;
    // no other job makes reserved items, and a caller that awaits them waits for the end of this job
    const isAwaited = (flight: Flight) => !reserved || flight.reserved === reserved;
    let missing = items;
    for (;;) {
      const madeByOthers = missing.flatMap(({ key }) => inFlight.get(key) ?? []).filter(isAwaited);
      if (madeByOthers.length === 0) break;
      await allSettled(
        madeByOthers.map(({ making }) => making),
        signal,
      );
      missing = await take(missing);
    }
    if (missing.length === 0) return;
    const flight: Flight = { making: makeAlone(ports, missing, options), reserved };
    for (const { key } of missing) inFlight.set(key, flight);
    try {
      await flight.making;
    } finally {
      for (const { key } of missing) if (inFlight.get(key) === flight) inFlight.delete(key);
    }
  };
  return { provide, reserve: (items) => takeLease(ports, leaseNames(items)).catch(() => undefined) };
}

const leaseNames = (items: readonly { readonly key: string }[]) => items.map(({ key }) => `part/${key}`);

/** Makes items while no other process makes one of them. */
async function makeAlone<Item extends { readonly key: string }>(
  ports: LeasePorts,
  items: readonly Item[],
  { signal, take, make, reserved }: SingleFlightOptions<Item>,
): Promise<void> {
  let missing = items;
  for (let pollMs = minPollMs; missing.length > 0; pollMs = Math.min(2 * pollMs, maxPollMs)) {
    const lease = reserved ? kept : await takeLease(ports, leaseNames(missing)).catch(() => kept);
    try {
      // needed even with the lease: its last holder may just have added the items
      missing = await take(missing);
      if (lease && missing.length > 0) return await make(missing);
    } finally {
      await lease?.release();
    }
    if (missing.length > 0) await pause(pollMs, signal);
  }
}

/** A lease that its job releases, or an unknown one: without the database, items may be made twice, at a cost. */
const kept: Pick<HeldLease, "release"> = { release: async () => {} };

async function pause(pollMs: number, signal: AbortSignal): Promise<void> {
  await setTimeout(pollMs, undefined, { signal }).catch(() => {});
  signal.throwIfAborted();
}

/** Waits until all promises have settled; rejects as soon as the signal aborts. */
async function allSettled(promises: readonly Promise<unknown>[], signal: AbortSignal): Promise<void> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.throwIfAborted();
  signal.addEventListener("abort", onAbort, { once: true });
  await Promise.race([Promise.allSettled(promises), aborted]).finally(() =>
    signal.removeEventListener("abort", onAbort),
  );
}
