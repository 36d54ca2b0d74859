import { DomainError } from "../errors.ts";

export type Gate = <T>(work: () => Promise<T>) => Promise<T>;

/** Lets `concurrency` pieces of work run at a time and `queueLength` wait; the next one is told to come back. */
export function gate(options: { concurrency: number; queueLength: number; retryAfterSeconds: number }): Gate {
  const { concurrency, queueLength, retryAfterSeconds } = options;
  const waiting: (() => void)[] = [];
  let running = 0;

  return async (work) => {
    if (waiting.length >= queueLength) throw new DomainError("busy", { retryAfterSeconds });
    // whoever leaves hands its place on, so a newcomer never slips in before those who wait
    if (running >= concurrency) await new Promise<void>((enter) => waiting.push(enter));
    else running++;
    try {
      return await work();
    } finally {
      const enterNext = waiting.shift();
      if (enterNext) enterNext();
      else running--;
    }
  };
}
