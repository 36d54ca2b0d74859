import { setTimeout } from "node:timers/promises";
import { renewClaimsEveryMs, type SharedRuns } from "../../../domain/exports/shared-runs.ts";

/** Runs of a film that other processes may render, too. Hands out each run once, in any order. */
export type RunPool = {
  /** The index of a run to provide: one that no other process has, or that another one has finished. */
  next(signal: AbortSignal): Promise<number>;
  /** Call when a run is in the cache. Never throws. */
  finish(index: number): Promise<void>;
  /** Ends the sharing. Never throws. */
  close(): Promise<void>;
};

/** How often the runs of others are looked at when there is nothing else to do, however many wait for one. */
const pollMs = 500;

/** `onFinished` receives the index of each run that another process has rendered. Requires published runs. */
export function openRunPool(shared: SharedRuns, runCount: number, onFinished: (index: number) => void): RunPool {
  /** Not handed out yet. */
  const left = new Set(Array.from({ length: runCount }, (_, index) => index));
  const finishedByOthers = new Set<number>();

  const refresh = async () => {
    for (const index of await shared.renew()) {
      if (finishedByOthers.has(index) || !left.has(index)) continue;
      finishedByOthers.add(index);
      onFinished(index);
    }
  };

  /** While the database is away, a run may be rendered twice, which costs only time. */
  const claim = async (): Promise<number | undefined> => {
    try {
      return (await shared.claim())?.number;
    } catch {
      return left.values().next().value;
    }
  };

  /** False from a claim in vain until the next look: of many that wait, one asks. */
  let mayBeFree = true;
  let claiming: Promise<number | undefined> = Promise.resolve(undefined);
  const claimNext = async (): Promise<number | undefined> => {
    const claimed = mayBeFree ? await claim() : undefined;
    mayBeFree = claimed !== undefined;
    return claimed;
  };

  let lookedAt = Number.NEGATIVE_INFINITY;
  const lookAgain = async (): Promise<void> => {
    if (performance.now() - lookedAt < pollMs) return;
    lookedAt = performance.now();
    await refresh().catch(() => {});
    mayBeFree = true;
  };

  const choose = async (): Promise<number | undefined> => {
    for (const index of finishedByOthers) if (left.delete(index)) return index;
    claiming = claiming.then(claimNext);
    const claimed = await claiming;
    if (claimed === undefined || left.delete(claimed)) return claimed;
    // it was handed out while the database was away
    await shared.finish(claimed).catch(() => {});
    return undefined;
  };

  const ticking = setInterval(() => void refresh().catch(() => {}), renewClaimsEveryMs);
  return {
    async next(signal) {
      for (;;) {
        signal.throwIfAborted();
        const chosen = await choose();
        if (chosen !== undefined) return chosen;
        await setTimeout(pollMs, undefined, { signal }).catch(() => {});
        await lookAgain();
      }
    },

    async finish(index) {
      if (!finishedByOthers.has(index)) await shared.finish(index).catch(() => {});
    },

    async close() {
      clearInterval(ticking);
      await shared.remove().catch(() => {});
    },
  };
}
