import { readdirSync, readFileSync, writeFileSync } from "node:fs";

/** Clock ticks per second of /proc, fixed by Linux's ABI. */
const ticksPerSecond = 100;

/** CPU seconds used by this process and its ended children. Linux only. */
export function cpuSeconds(): number {
  const fields = statOf("self");
  const [user, system, childUser, childSystem] = fields.slice(11, 15).map(Number) as [number, number, number, number];
  return (user + system + childUser + childSystem) / ticksPerSecond;
}

/** The fields of /proc/<pid>/stat after the process name, which may contain spaces. */
const statOf = (pid: string) => {
  const text = readFileSync(`/proc/${pid}/stat`, "utf8");
  return text.slice(text.lastIndexOf(")") + 2).split(" ");
};

/** Resident memory of a process in KB: the current one (VmRSS) or the peak (VmHWM). */
export function memoryKilobytes(pid: number | "self", field: "VmRSS" | "VmHWM"): number {
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

/** Runs `work` and samples the total memory of this process's children; returns the peak in MB. */
export async function measureChildrenMemory<T>(work: () => Promise<T>): Promise<{ result: T; peakMegabytes: number }> {
  let peakKilobytes = 0;
  const sampling = setInterval(() => {
    const sum = childrenOfThisProcess().reduce(
      (total, pid) => total + readOrElse(0, () => memoryKilobytes(pid, "VmRSS")),
      0,
    );
    peakKilobytes = Math.max(peakKilobytes, sum);
  }, 20);
  try {
    return { result: await work(), peakMegabytes: Math.round(peakKilobytes / 1024) };
  } finally {
    clearInterval(sampling);
  }
}

/** Includes sandboxed ffmpeg processes: the sandbox replaces itself with ffmpeg (exec), so they are direct children. */
const childrenOfThisProcess = (): readonly number[] =>
  readdirSync("/proc/self/task").flatMap((thread) =>
    readOrElse("", () => readFileSync(`/proc/self/task/${thread}/children`, "utf8"))
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

/** Runs `work` and returns its CPU and wall-clock seconds. */
export async function measureTime<T>(work: () => Promise<T>): Promise<{ result: T; cpu: number; wall: number }> {
  const cpuBefore = cpuSeconds();
  const wallBefore = performance.now();
  const result = await work();
  return { result, cpu: cpuSeconds() - cpuBefore, wall: (performance.now() - wallBefore) / 1000 };
}
