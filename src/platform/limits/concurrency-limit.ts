import { DomainError } from "../../errors.ts";
import type { SlotBudget } from "./slot-budget.ts";

/** The owner and the lifetime of a task. Tasks that wait for the same resource take turns by owner. */
export type TaskOptions = {
  /** User id. */
  readonly owner: string;
  /** Aborts when the result is no longer needed. */
  readonly signal?: AbortSignal;
};

/**
 * Runs a task once a slot is free for its owner; tasks without an owner share one turn. If the signal aborts before the
 * task has started, the task leaves the queue and the call rejects.
 */
export type ConcurrencyLimit = <T>(task: () => Promise<T>, options?: Partial<TaskOptions>) => Promise<T>;

/** Runs a task in a slot until it calls `release` or ends. */
export async function inSlot(
  limit: ConcurrencyLimit,
  options: Partial<TaskOptions>,
  task: (release: () => void) => Promise<void>,
): Promise<void> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let running: Promise<void> | undefined;
  await limit(() => {
    running = task(release);
    return Promise.race([running, released]);
  }, options);
  await running;
}

type ConcurrencyLimitOptions = {
  readonly concurrency: number;
  /** Tasks of one owner that run at a time; `concurrency` by default. A lower number keeps slots free for others. */
  readonly perOwner?: number;
  /** Number of tasks that may wait; unbounded by default. Further calls throw busy. */
  readonly maxQueued?: number;
  /** Number of tasks of one owner that may wait; unbounded by default. Further calls of this owner throw busy. */
  readonly maxQueuedPerOwner?: number;
  /** The retry delay that the busy error carries. */
  readonly retryAfterSeconds?: number;
  /** A budget from which each running task also takes a slot, unless a task with a slot started it. */
  readonly budget?: SlotBudget;
};

/** An owner with tasks. The queue holds the functions that start the waiting ones. */
type Owner = { readonly name: string; readonly queue: Set<() => void>; running: number };

/** A fair semaphore: waiting owners take turns, and the tasks of one owner start in the order of their calls. */
export function concurrencyLimit({
  concurrency,
  perOwner = concurrency,
  maxQueued = Number.POSITIVE_INFINITY,
  maxQueuedPerOwner = Number.POSITIVE_INFINITY,
  retryAfterSeconds = 1,
  budget,
}: ConcurrencyLimitOptions): ConcurrencyLimit {
  const owners = new Map<string, Owner>();
  /** The owners whose next task may start as soon as a slot is free, in the order of their turns. */
  const turns = new Set<Owner>();
  let running = 0;
  let queued = 0;

  const hasFree = () => running < concurrency && (budget?.hasFree() ?? true);
  const isFull = ({ queue }: Owner) => queued >= maxQueued || queue.size >= maxQueuedPerOwner;

  const change = (owner: Owner, { runningBy = 0, queuedBy = 0 }) => {
    running += runningBy;
    if (runningBy > 0) budget?.take();
    owner.running += runningBy;
    queued += queuedBy;
    if (owner.queue.size > 0 && owner.running < perOwner) turns.add(owner);
    else turns.delete(owner);
    if (owner.queue.size > 0 || owner.running > 0) owners.set(owner.name, owner);
    else owners.delete(owner.name);
  };

  const waitForSlot = (owner: Owner, signal?: AbortSignal): Promise<void> => {
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = () => {
      owner.queue.delete(start);
      change(owner, { queuedBy: -1 });
      reject(signal?.reason);
    };
    const start = () => {
      owner.queue.delete(start);
      change(owner, { queuedBy: -1, runningBy: 1 });
      signal?.removeEventListener("abort", leave);
      resolve();
    };
    owner.queue.add(start);
    change(owner, { queuedBy: 1 });
    signal?.addEventListener("abort", leave, { once: true });
    return promise;
  };

  /** False if no task waits or no slot is free. */
  const startNext = (): boolean => {
    const [owner] = turns;
    const [start] = owner?.queue ?? [];
    if (!owner || !start || !hasFree()) return false;
    // starting the task puts the owner at the end of the turns
    turns.delete(owner);
    start();
    return true;
  };
  budget?.join({ startNext });

  return async (task, { owner: name = "", signal } = {}) => {
    if (budget?.isCovered()) return await task();
    const owner = owners.get(name) ?? { name, queue: new Set(), running: 0 };
    if (hasFree() && owner.running < perOwner) change(owner, { runningBy: 1 });
    else if (isFull(owner)) throw new DomainError("busy", { retryAfterSeconds });
    else await waitForSlot(owner, signal);
    try {
      return await (budget ? budget.hold(task) : task());
    } finally {
      change(owner, { runningBy: -1 });
      if (budget) budget.giveBack();
      else startNext();
    }
  };
}
