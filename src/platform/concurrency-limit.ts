import { DomainError } from "../errors.ts";

/** Runs a task once a slot is free. If its signal aborts first, the task leaves the queue and rejects. */
export type ConcurrencyLimit = <T>(task: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

type ConcurrencyLimitOptions = {
  readonly concurrency: number;
  /** Number of tasks that may wait; unbounded by default. Further calls throw busy. */
  readonly maxQueued?: number;
  /** The retry delay that the busy error carries. */
  readonly retryAfterSeconds?: number;
};

/** A semaphore: runs at most `concurrency` tasks at a time, in the order of their calls. */
export function concurrencyLimit({
  concurrency,
  maxQueued = Number.POSITIVE_INFINITY,
  retryAfterSeconds = 1,
}: ConcurrencyLimitOptions): ConcurrencyLimit {
  const queue = new Set<() => void>();
  let running = 0;

  return async (task, signal) => {
    if (running < concurrency) running++;
    else if (queue.size >= maxQueued) throw new DomainError("busy", { retryAfterSeconds });
    else await waitForSlot(queue, signal);
    try {
      return await task();
    } finally {
      // passes the slot on without freeing it, so that a new call cannot overtake the queue
      const [startNext] = queue;
      if (startNext) startNext();
      else running--;
    }
  };
}

/** Resolves when a finishing task passes its slot on. */
function waitForSlot(queue: Set<() => void>, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const leave = () => {
    queue.delete(start);
    reject(signal?.reason);
  };
  const start = () => {
    queue.delete(start);
    signal?.removeEventListener("abort", leave);
    resolve();
  };
  queue.add(start);
  signal?.addEventListener("abort", leave, { once: true });
  return promise;
}
