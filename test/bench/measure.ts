import { readdirSync, readFileSync, writeFileSync } from "node:fs";

/** Clock ticks per second of /proc, fixed by Linux's ABI. */
const ticksPerSecond = 100;

type Pid = number | "self";

/** CPU seconds of a process, of its running children and of its ended ones, so far. Linux only. */
export function cpuSeconds(pid: Pid = "self"): {
  readonly own: number;
  readonly running: number;
  readonly ended: number;
} {
  const { own, ended } = cpuOf(pid);
  const running = childrenOf(pid).map((child) => readOrElse({ own: 0, ended: 0 }, () => cpuOf(child)));
  return { own, running: running.reduce((sum, child) => sum + child.own + child.ended, 0), ended };
}

function cpuOf(pid: Pid) {
  const text = readFileSync(`/proc/${pid}/stat`, "utf8");
  // the process name before the fields may contain spaces
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [user, system, childUser, childSystem] = fields.slice(11, 15).map(Number) as [number, number, number, number];
  return { own: (user + system) / ticksPerSecond, ended: (childUser + childSystem) / ticksPerSecond };
}

const idleMilliseconds = 1_000;
/** In this time. A ready service has timers, and the embedded database answers the queue's polls. */
const idleCpuSeconds = 0.02;
const maxBusyMilliseconds = 900_000;

/** Resolves when a process and its running children use no CPU time any more, and returns what they used so far. */
export async function untilIdle(pid: number): Promise<ReturnType<typeof cpuSeconds>> {
  const deadline = performance.now() + maxBusyMilliseconds;
  let before = cpuSeconds(pid);
  while (performance.now() < deadline) {
    await Bun.sleep(idleMilliseconds);
    const now = cpuSeconds(pid);
    // on a busy machine, one with the least priority may get less
    const isDecoding = childrenOf(pid).some((child) => readOrElse(false, () => isFfmpeg(child)));
    if (!isDecoding && totalOf(now) - totalOf(before) <= idleCpuSeconds) return now;
    before = now;
  }
  throw new Error(`The process did not become idle within ${maxBusyMilliseconds / 1000} s.`);
}

/** Proxies are built after a second without rendering. */
const beforeBuildMilliseconds = 1_500;

/** Resolves when a service has built the proxies that were missed. */
export async function untilProxies(pid: number): Promise<void> {
  await Bun.sleep(beforeBuildMilliseconds);
  await untilIdle(pid);
}

/** Resident memory of a process in KB: the current one (VmRSS) or the peak (VmHWM). */
export function memoryKilobytes(pid: Pid, field: "VmRSS" | "VmHWM"): number {
  const line = readFileSync(`/proc/${pid}/status`, "utf8").match(new RegExp(`${field}:\\s+(\\d+)`));
  return Number(line?.[1] ?? 0);
}

/** Runs `work` and returns by how many MB a process's peak memory exceeded its memory before. */
export async function measurePeakMemory(pid: number, work: () => Promise<unknown>): Promise<number> {
  // resets the kernel's peak counter
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
  const before = memoryKilobytes(pid, "VmRSS");
  await work();
  return (memoryKilobytes(pid, "VmHWM") - before) / 1024;
}

const isFfmpeg = (pid: number): boolean => readFileSync(`/proc/${pid}/comm`, "utf8").startsWith("ffmpeg");

/** Includes sandboxed ffmpeg processes: the sandbox replaces itself with ffmpeg (exec), so they are direct children. */
const childrenOf = (pid: Pid): readonly number[] =>
  readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readOrElse("", () => readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8"))
      .split(" ")
      .filter(Boolean)
      .map(Number),
  );

/** A listed thread or process may have ended before it is read. */
function readOrElse<T>(fallback: T, read: () => T): T {
  try {
    return read();
  } catch {
    return fallback;
  }
}

export const medianOf = (numbers: readonly number[]): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)]!;

type Time<T> = { readonly result: T; readonly cpu: number; readonly wall: number };

/** Runs `work` and returns its wall-clock seconds, and the CPU seconds of a process with its children meanwhile. */
export async function measureTime<T>(work: () => Promise<T>, pid: Pid = "self"): Promise<Time<T>> {
  const cpuBefore = totalOf(cpuSeconds(pid));
  const wallBefore = performance.now();
  const result = await work();
  const wall = (performance.now() - wallBefore) / 1000;
  return { result, cpu: totalOf(cpuSeconds(pid)) - cpuBefore, wall };
}

const totalOf = ({ own, running, ended }: ReturnType<typeof cpuSeconds>) => own + running + ended;
