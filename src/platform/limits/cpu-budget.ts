import { availableParallelism } from "node:os";
import { type ConcurrencyLimit, concurrencyLimit } from "./concurrency-limit.ts";
import { slotBudget } from "./slot-budget.ts";

/**
 * Limits for processes on this machine, in the order in which they get free slots. Each limit leaves slots to the
 * others, and one owner never holds all of them.
 */
export type CpuBudget = {
  /** ffmpeg for frames and contact sheets, which a user is waiting for. */
  readonly frames: ConcurrencyLimit;
  /** Short tasks in the sandbox: drawing, measuring and reading files. */
  readonly sandbox: ConcurrencyLimit;
  /** Inspections of uploads and pages. */
  readonly uploads: ConcurrencyLimit;
  /** Inputs and outputs of models: analyses, sounds and camera moves, up to a minute each. */
  readonly models: ConcurrencyLimit;
  readonly exports: ConcurrencyLimit;
  /** Films of tables: other exports go first and always find a slot. */
  readonly batches: ConcurrencyLimit;
  /** Proxies: no request waits for them. */
  readonly background: ConcurrencyLimit;
  readonly usage: () => { readonly running: number; readonly slots: number };
};

/** `concurrency`: processes of one user. Exports and interactive work never take each other's last slots. */
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
