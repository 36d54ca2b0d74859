/** Work that is in progress in this process, by cache key. */
export type InFlight = Map<string, Promise<unknown>>;

type SingleFlightOptions<Item> = {
  readonly inFlight: InFlight;
  readonly signal: AbortSignal;
  /** Takes an item from the cache; false if it is not there. */
  readonly take: (item: Item) => Promise<boolean>;
  /** Makes several items together and adds them to the cache. */
  readonly make: (missing: readonly Item[]) => Promise<void>;
};

/**
 * Takes items from the cache and makes the missing ones. An item that another caller is making is awaited instead; if
 * that caller fails or aborts, it is made here.
 */
export async function singleFlight<Item extends { readonly key: string }>(
  items: readonly Item[],
  { inFlight, signal, take, make }: SingleFlightOptions<Item>,
): Promise<void> {
  let missing = items;
  while (missing.length > 0) {
    const isTaken = await Promise.all(missing.map(take));
    missing = missing.filter((_, index) => !isTaken[index]);
    const madeByOthers = missing.flatMap(({ key }) => inFlight.get(key) ?? []);
    if (madeByOthers.length === 0) break;
    await allSettled(madeByOthers, signal);
  }
  if (missing.length === 0) return;
  const making = make(missing);
  for (const { key } of missing) inFlight.set(key, making);
  try {
    await making;
  } finally {
    for (const { key } of missing) inFlight.delete(key);
  }
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
