/** A period in which the event loop was blocked, in milliseconds of `performance.now()`. */
export type Stall = {
  readonly from: number;
  readonly to: number;
  readonly blockedMs: number;
  /** CPU time of this thread during the period: little if the machine was suspended or overloaded. */
  readonly cpuMs: number;
};

type WatchOptions = {
  readonly thresholdMilliseconds: number;
  /** Receives each period above the threshold. */
  readonly onStall: (stall: Stall) => void;
};

export type EventLoopMonitor = {
  /** Checks now. The timer checks only after the running code. */
  check(): void;
  stop(): void;
};

/** Each tick wakes an idle process, which costs a quarter of a millisecond over all of its threads. */
const intervalMilliseconds = 150;

/** A later tick was delayed by one piece of work, which may have begun long before the tick was due. */
const minLateMilliseconds = 100;

/** The time blocked between two ticks. If the second tick is late, all CPU time counts. */
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
