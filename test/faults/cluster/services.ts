import { existsSync, readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { processTree, type RunningProgram, runProgram, signalAll, usageOf, waitUntil } from "./programs.ts";

const main = join(import.meta.dir, "../../../src/main.ts");

export type ServiceName = "api-1" | "api-2" | "worker-1" | "worker-2";

export const serviceNames: readonly ServiceName[] = ["api-1", "api-2", "worker-1", "worker-2"];

const isApi = (name: ServiceName): boolean => name.startsWith("api");

type Options = {
  readonly folder: string;
  readonly settings: Readonly<Record<string, string>>;
  /** Of the first process that serves requests. */
  readonly firstPort: number;
};

/** The four processes, each with a data folder of its own, as on four machines. */
export function serviceProcesses({ folder, settings, firstPort }: Options) {
  const running = new Map<ServiceName, RunningProgram>();
  const portOf = (name: ServiceName) => firstPort + (name === "api-1" ? 0 : 1);
  const logPathOf = (name: ServiceName) => join(folder, `${name}.log`);

  async function launch(name: ServiceName): Promise<RunningProgram> {
    const dataDir = join(folder, name);
    await mkdir(dataDir, { recursive: true });
    const role = isApi(name) ? "api" : "worker";
    const own = { ROLE: role, DATA_DIR: dataDir, ...(isApi(name) && { PORT: `${portOf(name)}` }) };
    const env = { ...settings, ...own };
    const program = runProgram({ command: [process.execPath, main], env, cwd: folder, logPath: logPathOf(name) });
    running.set(name, program);
    return program;
  }

  const startsIn = (name: ServiceName) =>
    existsSync(logPathOf(name)) ? readFileSync(logPathOf(name), "utf8").split("Reelwright ").length : 1;

  /** Starts a process, and again while its start fails, as a supervisor does. Resolves once it works. */
  async function start(name: ServiceName, timeoutMs = 300_000): Promise<void> {
    const endsAt = performance.now() + timeoutMs;
    while (performance.now() < endsAt) {
      const before = startsIn(name);
      const program = await launch(name);
      await waitUntil(() => program.exitCode !== null || startsIn(name) > before, endsAt - performance.now());
      if (program.exitCode === null && startsIn(name) > before) return;
      await Bun.sleep(500);
    }
    throw new Error(`${name} did not start in ${timeoutMs} ms: see ${logPathOf(name)}.`);
  }

  const pidOf = (name: ServiceName): number => running.get(name)!.pid; // safe because all are started at first

  return {
    start,
    urlOf: (name: ServiceName) => `http://127.0.0.1:${portOf(name)}`,
    async startAll() {
      for (const name of serviceNames) await start(name);
    },
    async kill(name: ServiceName) {
      process.kill(pidOf(name), "SIGKILL");
      await running.get(name)!.exited;
    },
    /** The seconds until a process that was asked to stop has ended, and its exit code. */
    async stop(name: ServiceName) {
      const begunAt = performance.now();
      process.kill(pidOf(name), "SIGTERM");
      const code = await running.get(name)!.exited;
      return { seconds: (performance.now() - begunAt) / 1000, code };
    },
    signal: (name: ServiceName, signal: NodeJS.Signals) => process.kill(pidOf(name), signal),
    exited: (name: ServiceName) => running.get(name)!.exited,
    usage: async () =>
      Object.fromEntries(await Promise.all(serviceNames.map(async (name) => [name, await usageOf(pidOf(name))]))),
    /** Lines of the logs that report errors which nobody expects. */
    internalErrors: () => serviceNames.flatMap((name) => internalErrorsIn(name, logPathOf(name))),
    async end() {
      for (const [, program] of running) signalAll(await processTree(program.pid), "SIGKILL");
    },
  };
}

/** Responses with status 500, failed exports, failed steps and unhandled rejections. */
function internalErrorsIn(name: ServiceName, path: string): readonly string[] {
  const lines = readFileSync(path, "utf8").split("\n");
  return lines.filter((line) => /"level":[56]0/.test(line)).map((line) => `${name}: ${line}`);
}
