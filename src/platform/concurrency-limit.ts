import { DomainError } from "../errors.ts";

/** Who aborts while waiting leaves the line at once. */
export type ConcurrencyLimit = <T>(work: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

/** Lets `concurrency` pieces of work run at a time and `queueLength` wait; the next one is told to come back. */
export function concurrencyLimit(options: {
  concurrency: number;
  queueLength: number;
  retryAfterSeconds: number;
}): ConcurrencyLimit {
  const { concurrency, queueLength, retryAfterSeconds } = options;
  const waiting = new Set<() => void>();
  let running = 0;

  return async (work, signal) => {
    if (waiting.size >= queueLength) throw new DomainError("busy", { retryAfterSeconds });
    // whoever leaves hands its place on, so a newcomer never slips in before those who wait
    if (running >= concurrency) await turnIn(waiting, signal);
    else running++;
    try {
      return await work();
    } finally {
      const [enterNext] = waiting;
      if (enterNext) enterNext();
      else running--;
    }
  };
}

/** The same for work that may wait as long as it must. */
export const patientGate = (concurrency: number): ConcurrencyLimit =>
  concurrencyLimit({ concurrency, queueLength: Number.POSITIVE_INFINITY, retryAfterSeconds: 0 });

function turnIn(line: Set<() => void>, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const leave = () => {
    line.delete(enter);
    reject(signal?.reason);
  };
  const enter = () => {
    line.delete(enter);
    signal?.removeEventListener("abort", leave);
    resolve();
  };
  line.add(enter);
  signal?.addEventListener("abort", leave, { once: true });
  return promise;
}
