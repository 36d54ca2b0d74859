/** Work that users wait for, and work that only runs while there is none of it. */
export type QuietTimes = {
  /** Runs work that users wait for. Background work is stopped first, and begins again some time after the end. */
  during<Result>(work: () => Promise<Result>): Promise<Result>;
  /** More work may be about to follow: puts off background work that has not begun. */
  putOff(): void;
  /**
   * Runs background work in a quiet time. If other work begins meanwhile, its signal aborts; once it has ended, it runs
   * again in the next quiet time. After three interruptions it runs to its end.
   */
  run<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result>;
};

/** A user who previews every few seconds would otherwise keep the CPU busy with work that never ends. */
const maxInterruptions = 3;

const interrupted = new Error("Work that users wait for has begun.");

/** `quietMs` is how long nothing must have happened before background work begins. */
export function quietTimes(quietMs = 1_000): QuietTimes {
  let working = 0;
  let lastEventAt = Number.NEGATIVE_INFINITY;
  const interruptions = new Set<AbortController>();

  const noteEvent = () => {
    lastEventAt = performance.now();
  };

  const untilQuiet = async (): Promise<void> => {
    for (;;) {
      const leftMs = working > 0 ? quietMs : lastEventAt + quietMs - performance.now();
      if (leftMs <= 0) return;
      // nothing waits for background work: its timer must not keep the process
      await new Promise((resolve) => setTimeout(resolve, leftMs).unref());
    }
  };

  const runUninterrupted = async <Result>(work: (signal: AbortSignal) => Promise<Result>, stop: AbortController) => {
    interruptions.add(stop);
    try {
      return await work(stop.signal);
    } finally {
      interruptions.delete(stop);
    }
  };

  return {
    async during(work) {
      working++;
      for (const stop of interruptions) stop.abort(interrupted);
      try {
        return await work();
      } finally {
        working--;
        noteEvent();
      }
    },

    putOff: noteEvent,

    async run(work) {
      for (let interruptions = 0; ; interruptions++) {
        await untilQuiet();
        const stop = new AbortController();
        if (interruptions === maxInterruptions) return await work(stop.signal);
        try {
          return await runUninterrupted(work, stop);
        } catch (error) {
          if (!stop.signal.aborted) throw error;
        }
      }
    },
  };
}
