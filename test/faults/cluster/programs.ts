import { openSync, readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";

type Program = {
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Receives everything that the program writes. */
  readonly logPath: string;
};

/** A program with its output in a file, so that a full pipe never blocks it. */
export function runProgram({ command, env = {}, cwd, logPath }: Program) {
  const { PATH = "", HOME = "" } = process.env;
  const log = openSync(logPath, "a");
  return Bun.spawn([...command], { env: { PATH, HOME, ...env }, cwd, stdin: "ignore", stdout: log, stderr: log });
}

export type RunningProgram = ReturnType<typeof runProgram>;

/** Resolves with true once `isReady`; false if that takes longer than `timeoutMs`. */
export async function waitUntil(isReady: () => Promise<boolean> | boolean, timeoutMs: number): Promise<boolean> {
  const endsAt = performance.now() + timeoutMs;
  while (performance.now() < endsAt) {
    if (await isReady()) return true;
    await Bun.sleep(50);
  }
  return false;
}

/** A process and all that descend from it, parents first. */
export async function processTree(pid: number): Promise<readonly number[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const parents = new Map(await Promise.all(pids.map(async (each) => [each, await parentOf(each)] as const)));
  const descends = (each: number | undefined): boolean =>
    each === pid || (each !== undefined && each > 1 && descends(parents.get(each)));
  return pids.filter(descends).sort((one, other) => one - other);
}

const parentOf = async (pid: number): Promise<number | undefined> =>
  Number((await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "")).split(") ").at(-1)?.split(" ")[1]) || undefined;

/** Sends a signal to each; those that have ended meanwhile are left out. */
export function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // it has ended
    }
  }
}

/** Resident megabytes and open files of a process; undefined if it has ended. */
export async function usageOf(pid: number) {
  try {
    const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    const handles = (await readdir(`/proc/${pid}/fd`)).length;
    return { megabytes: Math.round(Number(kilobytes) / 1024), handles };
  } catch {
    return undefined;
  }
}
