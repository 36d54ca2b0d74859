import { concurrencyLimit } from "../../platform/concurrency-limit.ts";
import { placeLimit } from "../../platform/place-limit.ts";

/**
 * Runs `check`, a query of limits, and then `run` with its result. An owner has a hundred places, and two checks at a
 * time: a flood is refused before it costs a query, and its queries do not queue up before those of others.
 */
export type Admission = <Checked, T>(
  owner: string,
  check: () => Promise<Checked>,
  run: (checked: Checked) => Promise<T>,
) => Promise<T>;

/** Throws rate_limited if an owner has no place left, and busy if a thousand are taken. */
export function admission(): Admission {
  const takePlace = placeLimit({ perOwner: 100, total: 1000, retryAfterSeconds: 1 });
  const checks = concurrencyLimit({ concurrency: Number.POSITIVE_INFINITY, perOwner: 2 });
  return async (owner, check, run) => {
    const leave = takePlace(owner);
    try {
      return await run(await checks(check, { owner }));
    } finally {
      leave();
    }
  };
}

/** The last ten thousand names that were added. */
export type RecentNames = { readonly has: (name: string) => boolean; readonly add: (name: string) => void };

export function recentNames(size = 10_000): RecentNames {
  const names = new Set<string>();
  return {
    has: (name) => names.has(name),
    add(name) {
      names.delete(name);
      names.add(name);
      const [oldest] = names;
      if (names.size > size && oldest !== undefined) names.delete(oldest);
    },
  };
}
