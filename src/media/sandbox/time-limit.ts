import { readFileSync } from "node:fs";

/** A process that waits for the CPU may take this many times its limit, and at least a minute. */
const maxStretch = 3;
const minClockMilliseconds = 60_000;

/**
 * Calls `onExceeded` once the process has used so much CPU time, or several times as much by the clock: on a busy
 * machine, the clock alone says little about a task. Returns the function that stops watching.
 */
export function limitTime(processId: number, milliseconds: number, onExceeded: () => void): () => void {
  const clockMilliseconds = Math.max(maxStretch * milliseconds, minClockMilliseconds);
  const start = { clock: performance.now(), cpu: cpuMillisecondsOf(processId) };
  const remaining = (): number => {
    const clock = performance.now() - start.clock;
    const cpu = cpuMillisecondsOf(processId) - start.cpu;
    return Math.min(clockMilliseconds - clock, milliseconds - (Number.isNaN(cpu) ? clock : cpu));
  };
  const check = () => {
    const left = remaining();
    if (left <= 0) onExceeded();
    else timer = setTimeout(check, left + tickMilliseconds);
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
