import { readdirSync, readFileSync, writeFileSync } from "node:fs";

/** Clock ticks per second of /proc, fixed by Linux's ABI. */
const ticksPerSecond = 100;

/** CPU seconds that this process and its finished children have used. Linux only. */
export function cpuSeconds(): number {
  const fields = statOf("self");
  const [user, system, childUser, childSystem] = fields.slice(11, 15).map(Number) as [number, number, number, number];
  return (user + system + childUser + childSystem) / ticksPerSecond;
}

/** The fields of /proc/<pid>/stat after the name, which may itself hold spaces. */
const statOf = (pid: string) => {
  const text = readFileSync(`/proc/${pid}/stat`, "utf8");
  return text.slice(text.lastIndexOf(")") + 2).split(" ");
};

/** Kilobytes that a process holds in memory right now, or held at most. */
export function memoryKilobytes(pid: number | "self", field: "VmRSS" | "VmHWM"): number {
  const line = readFileSync(`/proc/${pid}/status`, "utf8").match(new RegExp(`${field}:\\s+(\\d+)`));
  return Number(line?.[1] ?? 0);
}

/** Runs `work` and answers how much memory a process took for it at most, in MB over what it held before. */
export async function peakOver(pid: number, work: () => Promise<unknown>): Promise<number> {
  // the kernel forgets the peak so far
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
  const before = memoryKilobytes(pid, "VmRSS");
  await work();
  return (memoryKilobytes(pid, "VmHWM") - before) / 1024;
}

/** Runs `work` and answers the largest sum of memory that this process's children held at one time, in MB. */
export async function withChildrenMemory<T>(work: () => Promise<T>): Promise<{ result: T; peakMegabytes: number }> {
  let peakKilobytes = 0;
  const watch = setInterval(() => {
    const sum = childrenOfThisProcess().reduce(
      (total, pid) => total + orElse(0, () => memoryKilobytes(pid, "VmRSS")),
      0,
    );
    peakKilobytes = Math.max(peakKilobytes, sum);
  }, 20);
  try {
    return { result: await work(), peakMegabytes: Math.round(peakKilobytes / 1024) };
  } finally {
    clearInterval(watch);
  }
}

/** A sandboxed ffmpeg is a child itself: the layers around it replace themselves with it. */
const childrenOfThisProcess = (): readonly number[] =>
  readdirSync("/proc/self/task").flatMap((thread) =>
    orElse("", () => readFileSync(`/proc/self/task/${thread}/children`, "utf8"))
      .split(" ")
      .filter(Boolean)
      .map(Number),
  );

/** A thread or a process may end between being listed and being read. */
function orElse<T>(fallback: T, read: () => T): T {
  try {
    return read();
  } catch {
    return fallback;
  }
}

export const medianOf = (numbers: readonly number[]): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)]!;

/** CPU and wall seconds of one piece of work. */
export async function timed<T>(work: () => Promise<T>): Promise<{ result: T; cpu: number; wall: number }> {
  const [cpuBefore, wallBefore] = [cpuSeconds(), performance.now()];
  const result = await work();
  return { result, cpu: cpuSeconds() - cpuBefore, wall: (performance.now() - wallBefore) / 1000 };
}
