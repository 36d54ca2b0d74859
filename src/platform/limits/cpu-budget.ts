import { availableParallelism } from "node:os";
import { type ConcurrencyLimit, concurrencyLimit } from "./concurrency-limit.ts";
import { slotBudget } from "./slot-budget.ts";

/**
 * The processes of this machine, by what waits for them. The first ones take free slots first. Each has a bound, so that
 * it leaves slots to the others, and one owner never holds all of them.
 */
export type CpuBudget = {
  /** ffmpeg for frames and contact sheets, which a user waits for on screen. */
  readonly frames: ConcurrencyLimit;
  /** Drawing, measuring and reading files in the sandbox: short. */
  readonly sandbox: ConcurrencyLimit;
  /** Inspections of uploads and pages. */
  readonly uploads: ConcurrencyLimit;
  /** What models get and give: analyses, sounds and camera moves, up to a minute each. */
  readonly models: ConcurrencyLimit;
  readonly exports: ConcurrencyLimit;
  /** Films of tables: exports that somebody waits for go first, and always find a slot. */
  readonly batches: ConcurrencyLimit;
  /** Proxies: no request waits for them. */
  readonly background: ConcurrencyLimit;
  readonly usage: () => { readonly running: number; readonly slots: number };
};

/** `concurrency`: processes of one user. Exports and what users wait for never take each other's last slots. */
export function cpuBudget(concurrency = availableParallelism()): CpuBudget {
  const ofOneUser = { concurrency: concurrency + 1, perOwner: concurrency };
  const machine = slotBudget(2 * concurrency + 3);
  const awaited = machine.group(2 * concurrency + 2);
  const files = awaited.group(2 * concurrency + 1);
  const unattended = machine.group(concurrency + 1);
  // in the order of their priority
  return {
    frames: concurrencyLimit({ ...ofOneUser, budget: awaited }),
    sandbox: concurrencyLimit({ ...ofOneUser, budget: awaited }),
    // more of one user would only slow down each other and the exports
    uploads: concurrencyLimit({
      concurrency: concurrency + 2,
      perOwner: 2,
      maxQueuedPerOwner: 500,
      retryAfterSeconds: 10,
      budget: files,
    }),
    models: concurrencyLimit({
      concurrency: concurrency + 1,
      perOwner: Math.min(2, concurrency),
      maxQueuedPerOwner: 100,
      retryAfterSeconds: 10,
      budget: files,
    }),
    exports: concurrencyLimit({ ...ofOneUser, budget: unattended }),
    batches: concurrencyLimit({ concurrency, budget: unattended }),
    background: concurrencyLimit({ concurrency: 1, budget: unattended }),
    usage: () => ({ running: machine.running(), slots: machine.slots }),
  };
}
