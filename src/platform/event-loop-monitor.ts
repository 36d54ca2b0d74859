/** A time in which the event loop did not turn, in milliseconds of `performance.now()`. */
export type Stall = {
  readonly from: number;
  readonly to: number;
  readonly blockedMs: number;
  /** What this thread computed in the meantime: little if the machine was suspended or had no time for it. */
  readonly cpuMs: number;
};

type WatchOptions = {
  readonly thresholdMilliseconds: number;
  /** Receives each time above the threshold. */
  readonly onStall: (stall: Stall) => void;
};

export type EventLoopMonitor = {
  /** Looks at once. The timer looks only after the code that runs now. */
  check(): void;
  stop(): void;
};

/** Each tick wakes an idle process, which costs a quarter of a millisecond over all of its threads. */
const intervalMilliseconds = 150;

/** A tick that is later than this was held up by one piece of work, which may have begun long before it was due. */
const minLateMilliseconds = 100;

/** How long the event loop did not turn between two ticks. If the second is late, all that was computed counts. */
function blockedMilliseconds(elapsed: number, cpuMs: number): number {
  const late = elapsed - intervalMilliseconds;
  return late > minLateMilliseconds ? Math.max(late, Math.min(cpuMs, elapsed)) : late;
}

/** Compares when a timer fires with when it should. */
export function monitorEventLoop({ thresholdMilliseconds, onStall }: WatchOptions): EventLoopMonitor {
  let from = performance.now();
  let cpu = cpuMilliseconds();
  const check = () => {
    const to = performance.now();
    const cpuNow = cpuMilliseconds();
    const cpuMs = Math.round(cpuNow - cpu);
    const stall = { from, to, blockedMs: Math.round(blockedMilliseconds(to - from, cpuMs)), cpuMs };
    from = to;
    cpu = cpuNow;
    if (stall.blockedMs > thresholdMilliseconds) onStall(stall);
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
