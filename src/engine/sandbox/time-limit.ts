import { readdirSync, readFileSync } from "node:fs";
import { sum } from "../../platform/values.ts";

/** A process that waits for the CPU may take this many times its limit, and at least a minute. */
const maxStretch = 3;
const minClockMilliseconds = 60_000;

/**
 * Calls `onExceeded` once the process has used this much CPU time, or several times as much wall-clock time: on a busy
 * machine, the clock alone says little about a task. `isStarved` is true if the process has mostly waited for the CPU:
 * then the result says nothing about the task. Returns the function that stops watching.
 */
export function limitTime(
  processId: number,
  milliseconds: number,
  onExceeded: (isStarved: boolean) => void,
  minClock = minClockMilliseconds,
): () => void {
  const clockMilliseconds = Math.max(maxStretch * milliseconds, minClock);
  const start = {
    clock: performance.now(),
    cpu: cpuMillisecondsOf(processId),
    waited: waitedMillisecondsOf(processId),
  };
  const check = () => {
    const clock = performance.now() - start.clock;
    const cpu = cpuMillisecondsOf(processId) - start.cpu;
    const cpuLeft = milliseconds - (Number.isNaN(cpu) ? clock : cpu);
    const left = Math.min(clockMilliseconds - clock, cpuLeft);
    if (left > 0) timer = setTimeout(check, left + tickMilliseconds);
    else onExceeded(cpuLeft > 0 && waitedMillisecondsOf(processId) - start.waited > clock / 2);
  };
  let timer = setTimeout(check, milliseconds);
  return () => clearTimeout(timer);
}

/** Linux counts CPU time in these units. */
const tickMilliseconds = 10;

/** User and system time of all threads. NaN if the process has ended or the system does not list it. */
function cpuMillisecondsOf(processId: number): number {
  try {
    const stat = readFileSync(`/proc/${processId}/stat`, "utf8");
    // the name of the program is in parentheses and may contain spaces
    const [user, system] = stat.slice(stat.lastIndexOf(")")).split(" ").slice(12, 14);
    return (Number(user) + Number(system)) * tickMilliseconds;
  } catch {
    return Number.NaN;
  }
}

/** The time for which its threads were ready but got no core. NaN if the system does not report it. */
function waitedMillisecondsOf(processId: number): number {
  try {
    const threads = readdirSync(`/proc/${processId}/task`);
    const waits = threads.map(
      (thread) => readFileSync(`/proc/${processId}/task/${thread}/schedstat`, "utf8").split(" ")[1],
    );
    return sum(waits.map((nanoseconds) => Number(nanoseconds) / 1e6));
  } catch {
    return Number.NaN;
  }
}
