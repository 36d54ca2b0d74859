import { linkSignal } from "../../platform/linked-signal.ts";

/** The calls of older clients that are running in this process, by the name of the request. */
export type RunningCalls = {
  /** Aborts the signal that `run` gets when `signal` aborts or `cancel` is called with the same name. */
  during<Result>(name: string, signal: AbortSignal, run: (signal: AbortSignal) => Promise<Result>): Promise<Result>;
  cancel(name: string): void;
};

/**
 * A client of 2025-11-25 cancels a call by a notification in another request. It says which call by the number that the
 * client gave it, so that the name has to hold the user and the client's session too.
 */
export function runningCalls(): RunningCalls {
  const running = new Map<string, AbortController>();
  return {
    async during(name, signal, run) {
      const cancelled = new AbortController();
      running.set(name, cancelled);
      const linked = linkSignal(signal);
      try {
        return await run(AbortSignal.any([linked.signal, cancelled.signal]));
      } finally {
        linked.release();
        if (running.get(name) === cancelled) running.delete(name);
      }
    },
    cancel: (name) => running.get(name)?.abort(),
  };
}
