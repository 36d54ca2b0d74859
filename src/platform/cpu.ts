import { edenGC } from "bun:jsc";
import { setImmediate as nextTurn } from "node:timers/promises";

/** Other requests wait for about this long, and one step more. */
const maxTurnMilliseconds = 10;

/** The time of the first call in this turn of the event loop; undefined before it. */
let turnStartedAt: number | undefined;

/** The callers that wait for a later turn, in the order of their calls. */
const waiting: (() => void)[] = [];

/**
 * Resolves at once, or in a later turn of the event loop if this one has taken long. Otherwise, steps that only await
 * each other, such as queries of an embedded database, would run to their end before anything else.
 */
export function yieldIfBusy(): Promise<void> {
  if (waiting.length === 0 && performance.now() - startOfTurn() <= maxTurnMilliseconds) return Promise.resolve();
  const { promise, resolve } = Promise.withResolvers<void>();
  waiting.push(resolve);
  if (waiting.length === 1) resumeInOrder();
  return promise;
}

/** Resumes one in each turn: its next step may take long too, and later callers must not overtake earlier ones. */
async function resumeInOrder(): Promise<void> {
  for (let [next] = waiting; next; [next] = waiting) {
    await nextTurn();
    startOfTurn();
    waiting.shift();
    next();
  }
}

function startOfTurn(): number {
  if (turnStartedAt !== undefined) return turnStartedAt;
  turnStartedAt = performance.now();
  setImmediate(() => {
    turnStartedAt = undefined;
  });
  return turnStartedAt;
}

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

/** Bytes between two young-generation collections, which take 1 to 2 ms each. */
const edenIntervalBytes = 8 * 1024 * 1024;

/** Objects that survive a young-generation collection become old: only a full collection, about 10 ms, frees them. */
const edenPerFull = 32;

let bytesSinceCollection = 0;
let collections = 0;

/**
 * Reports bytes of a streamed body, received or sent, and collects their garbage at intervals. JavaScriptCore alone
 * lets garbage grow to the size of the live heap: with the embedded database, 400 MB for an upload of 1 GB.
 */
export function reportStreamedBytes(sizeBytes: number): void {
  bytesSinceCollection += sizeBytes;
  if (bytesSinceCollection < edenIntervalBytes) return;
  bytesSinceCollection = 0;
  collections += 1;
  if (collections % edenPerFull === 0) Bun.gc(true);
  else edenGC();
}

/** Bytes between two full collections of chunks that waited in queues. */
const queuedIntervalBytes = 64 * 1024 * 1024;

let queuedBytes = 0;

/** Reports bytes that waited in stream queues until a young-generation collection made them old. */
export function reportQueuedBytes(sizeBytes: number): void {
  queuedBytes += sizeBytes;
  if (queuedBytes < queuedIntervalBytes) return;
  queuedBytes = 0;
  Bun.gc(true);
}
