import { EventEmitter, once } from "node:events";
import type { RenderTasks } from "../../ports.ts";

/** Tasks of an export that other processes may render, too. Assigns each task once, in any order. */
export type TaskQueue = {
  /** The index of a task to provide: one that no other process has claimed, or that another one has finished. */
  next(signal: AbortSignal): Promise<number>;
  /** Call when the segments of a task are in the cache. Never throws. */
  finish(index: number): Promise<void>;
  /** Ends the sharing. Never throws. */
  close(): Promise<void>;
};

/** `onFinished` receives the index of each task that another process has rendered. Requires published tasks. */
export function openTaskQueue(shared: RenderTasks, taskCount: number, onFinished: (index: number) => void): TaskQueue {
  /** The tasks that are not assigned yet. */
  const left = new Set(Array.from({ length: taskCount }, (_, index) => index));
  const finishedByOthers = new Set<number>();

  /** While the database is unavailable, a task may be rendered twice, which costs only time. */
  const claim = async (): Promise<number | undefined> => {
    try {
      return (await shared.claim())?.number;
    } catch {
      return left.values().next().value;
    }
  };

  /** False after an unsuccessful claim until other processes change something: only one waiting caller retries. */
  let mayBeFree = true;
  let claiming: Promise<number | undefined> = Promise.resolve(undefined);
  const claimNext = async (): Promise<number | undefined> => {
    const claimed = mayBeFree ? await claim() : undefined;
    mayBeFree = claimed !== undefined;
    return claimed;
  };

  const changes = new EventEmitter().setMaxListeners(0);
  const closed = new AbortController();
  const watchOthers = async () => {
    for await (const finished of shared.finishedByOthers(closed.signal)) {
      for (const index of finished) {
        if (finishedByOthers.has(index) || !left.has(index)) continue;
        finishedByOthers.add(index);
        onFinished(index);
      }
      mayBeFree = true;
      changes.emit("change");
    }
  };

  const choose = async (): Promise<number | undefined> => {
    for (const index of finishedByOthers) if (left.delete(index)) return index;
    claiming = claiming.then(claimNext);
    const claimed = await claiming;
    if (claimed === undefined || left.delete(claimed)) return claimed;
    // the task was assigned while the database was unavailable
    await shared.finish(claimed).catch(() => {});
    return undefined;
  };

  const watching = watchOthers();
  return {
    async next(signal) {
      for (;;) {
        signal.throwIfAborted();
        // before the choice, so that no change is missed meanwhile
        const changed = once(changes, "change", { signal }).catch(() => {});
        const chosen = await choose();
        if (chosen !== undefined) return chosen;
        await changed;
      }
    },

    async finish(index) {
      if (!finishedByOthers.has(index)) await shared.finish(index).catch(() => {});
    },

    async close() {
      closed.abort();
      await watching;
      await shared.remove().catch(() => {});
    },
  };
}
