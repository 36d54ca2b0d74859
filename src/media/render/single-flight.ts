/** What is being made in this process, by key. */
export type UnderWay = Map<string, Promise<unknown>>;

type Makers<Part> = {
  /** False when it is not there. */
  readonly take: (part: Part) => Promise<boolean>;
  /** Makes parts together, so that the next who takes them finds them. */
  readonly make: (missing: readonly Part[]) => Promise<void>;
};

/**
 * Takes the parts that are there and makes the others. What somebody is just making is waited for, and made here after
 * all if he gave up.
 */
export async function takeOrMake<Part extends { readonly key: string }>(
  parts: readonly Part[],
  underWay: UnderWay,
  { take, make }: Makers<Part>,
  signal: AbortSignal,
): Promise<void> {
  let missing = parts;
  while (missing.length > 0) {
    const isTaken = await Promise.all(missing.map(take));
    missing = missing.filter((_, index) => !isTaken[index]);
    const others = missing.flatMap(({ key }) => underWay.get(key) ?? []);
    if (others.length === 0) break;
    await settled(others, signal);
  }
  if (missing.length === 0) return;
  const making = make(missing);
  for (const { key } of missing) underWay.set(key, making);
  try {
    await making;
  } finally {
    for (const { key } of missing) underWay.delete(key);
  }
}

async function settled(works: readonly Promise<unknown>[], signal: AbortSignal): Promise<void> {
  const { promise: left, reject } = Promise.withResolvers<never>();
  const leave = () => reject(signal.reason);
  signal.throwIfAborted();
  signal.addEventListener("abort", leave, { once: true });
  await Promise.race([Promise.allSettled(works), left]).finally(() => signal.removeEventListener("abort", leave));
}
