/** A time in which the event loop did not turn, in milliseconds of `performance.now()`. */
export type Block = {
  readonly from: number;
  readonly to: number;
  readonly blockedMs: number;
  /** What this thread computed in the meantime: little if the machine was suspended or had no time for it. */
  readonly cpuMs: number;
};

type WatchOptions = {
  readonly thresholdMilliseconds: number;
  /** Receives each time above the threshold. */
  readonly onBlock: (block: Block) => void;
};

export type ThreadWatch = {
  /** Looks at once. The timer looks only after the code that runs now. */
  check(): void;
  stop(): void;
};

const intervalMilliseconds = 50;

/** Compares when a timer fires with when it should. */
export function watchThread({ thresholdMilliseconds, onBlock }: WatchOptions): ThreadWatch {
  let from = performance.now();
  let cpu = cpuMilliseconds();
  const check = () => {
    const to = performance.now();
    const cpuNow = cpuMilliseconds();
    const block = {
      from,
      to,
      blockedMs: Math.round(to - from - intervalMilliseconds),
      cpuMs: Math.round(cpuNow - cpu),
    };
    from = to;
    cpu = cpuNow;
    if (block.blockedMs > thresholdMilliseconds) onBlock(block);
  };
  const timer = setInterval(check, intervalMilliseconds);
  timer.unref();
  return { check, stop: () => clearInterval(timer) };
}

/** The CPU time of this thread so far. */
export function cpuMilliseconds(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
