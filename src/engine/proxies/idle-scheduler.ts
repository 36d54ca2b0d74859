/** Schedules work that users wait for, and background work that runs only while there is none of it. */
export type IdleScheduler = {
  /** Runs work that users wait for. Background work is stopped first, and restarts some time after the end. */
  during<Result>(work: () => Promise<Result>): Promise<Result>;
  /**
   * Runs background work while nothing else runs. If other work begins meanwhile, its signal aborts, and it is
   * postponed: it runs again when the process is idle. After three interruptions it runs to its end.
   */
  whenIdle<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result>;
};

/** A user who previews every few seconds would otherwise keep the CPU busy with work that never ends. */
const maxInterruptions = 3;

const interrupted = new Error("Work that users wait for has begun.");

/** `idleMs` is the idle time before background work begins. */
export function idleScheduler(idleMs = 1_000): IdleScheduler {
  let working = 0;
  let lastEndAt = Number.NEGATIVE_INFINITY;
  const running = new Set<AbortController>();

  const untilIdle = async (): Promise<void> => {
    for (;;) {
      const leftMs = working > 0 ? idleMs : lastEndAt + idleMs - performance.now();
      if (leftMs <= 0) return;
      // nothing waits for background work: its timer must not keep the process
      await new Promise((resolve) => setTimeout(resolve, leftMs).unref());
    }
  };

  const runInterruptibly = async <Result>(work: (signal: AbortSignal) => Promise<Result>, stop: AbortController) => {
    running.add(stop);
    try {
      return await work(stop.signal);
    } finally {
      running.delete(stop);
    }
  };

  return {
    async during(work) {
      working++;
      for (const stop of running) stop.abort(interrupted);
      try {
        return await work();
      } finally {
        working--;
        lastEndAt = performance.now();
      }
    },

    async whenIdle(work) {
      for (let interruptions = 0; ; interruptions++) {
        await untilIdle();
        const stop = new AbortController();
        if (interruptions === maxInterruptions) return await work(stop.signal);
        try {
          return await runInterruptibly(work, stop);
        } catch (error) {
          if (!stop.signal.aborted) throw error;
        }
      }
    },
  };
}
