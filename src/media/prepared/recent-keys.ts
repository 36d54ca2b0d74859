/** Keys that count for a time. */
export type RecentKeys = {
  has(key: string): boolean;
  add(key: string): void;
};

type Options = { readonly max: number; readonly milliseconds: number; readonly now?: () => number };

/** Forgets each key some time after it was added, and the oldest beyond `max`. */
export function recentKeys({ max, milliseconds, now = performance.now.bind(performance) }: Options): RecentKeys {
  const addedAt = new Map<string, number>();
  return {
    has: (key) => now() - (addedAt.get(key) ?? Number.NEGATIVE_INFINITY) < milliseconds,
    add(key) {
      addedAt.delete(key);
      addedAt.set(key, now());
      const [oldest] = addedAt.keys();
      if (addedAt.size > max && oldest !== undefined) addedAt.delete(oldest);
    },
  };
}
