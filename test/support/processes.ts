import { readFileSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { prepareDataFolder } from "./database.ts";

const main = join(import.meta.dir, "../../src/main.ts");

type Variables = Record<string, string>;

export const textOf = (stream: ReadableStream) => new Response(stream).text();

/** For processes whose test depends on how the tested ffmpeg behaves, such as when it receives a signal. */
export const testedFfmpeg: Variables = { FFMPEG_PATH: process.env.FFMPEG_PATH ?? "" };

/**
 * Runs the service in separate processes. They share one data folder unless `variables` set another. They use the bundled
 * ffmpeg: each start runs one five times, which takes 0.4 s of CPU time where its libraries are shared.
 */
export async function serviceProcesses({ isFirstStart = false } = {}) {
  const folder = await mkdtemp(join(tmpdir(), "reelwright-main-"));
  if (!isFirstStart) await prepareDataFolder(join(folder, "data"));
  const running: Bun.Subprocess[] = [];

  /** `detached` gives the process a group of its own, which `-pid` names. */
  function launch(variables: Variables, { detached = false } = {}) {
    const { PATH = "", HOME = "" } = process.env;
    const env = { PATH, HOME, DATA_DIR: join(folder, "data"), PORT: "0", ...variables };
    const launched = Bun.spawn(["bun", main], { env, cwd: folder, stdout: "pipe", stderr: "pipe", detached });
    running.push(launched);
    return launched;
  }

  /** Launches a process and waits until it prints a line that matches. `log` is all that it prints until its end. */
  async function launchUntil(
    pattern: RegExp,
    variables: Variables = {},
    options: { readonly detached?: boolean } = {},
  ) {
    const launched = launch(variables, options);
    let printed = "";
    const { promise: matched, resolve, reject } = Promise.withResolvers<void>();
    const read = async () => {
      for await (const chunk of launched.stdout.pipeThrough(new TextDecoderStream())) {
        printed += chunk;
        if (pattern.test(printed)) resolve();
      }
      reject(new Error("The service did not start."));
      return printed;
    };
    const log = read();
    await matched.catch(async (error: Error) => {
      throw new Error(`${error.message} ${await textOf(launched.stderr)}`);
    });
    return { launched, printed, log };
  }

  /** Launches a process and waits until it serves requests. */
  async function start(variables?: Variables, options?: { readonly detached?: boolean }) {
    const started = await launchUntil(/try it .*\n/, variables, options);
    const [, url = ""] = /address +(\S+)/.exec(started.printed) ?? [];
    return { ...started, url };
  }

  const end = async () => {
    for (const launched of running) launched.kill("SIGKILL");
    await rm(folder, { recursive: true, force: true });
  };
  return { folder, launch, launchUntil, start, end };
}

/** True if ffmpeg runs as a child of the process, or if the system does not list the processes. */
export async function runsFfmpeg(pid: number): Promise<boolean> {
  const commands = await childCommandsOf(pid).catch(() => undefined);
  return commands?.some(({ command }) => command.includes("ffmpeg")) ?? true;
}

/** The ids of this process's child processes whose command line contains `name`. */
export function childrenNamed(name: string): readonly number[] {
  const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, "utf8").trim();
  const pids = children === "" ? [] : children.split(" ").map(Number);
  return pids.filter((pid) => commandLine(pid).includes(name));
}

/** Empty for a process that has ended. */
function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

/** True if the process has mapped a file of this name into memory. */
export async function hasOpened(pid: number, name: string): Promise<boolean> {
  const files = await readFile(`/proc/${pid}/maps`, "utf8").catch(() => "");
  return files.includes(name);
}

/** The processes for images and texts that a process has started. */
export async function sandboxProcessesOf(pid: number): Promise<readonly number[]> {
  const children = await childCommandsOf(pid);
  return children.filter(({ command }) => command.includes("media/sandboxed/")).map(({ id }) => id);
}

async function childCommandsOf(pid: number) {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8");
  const ids = children.trim().split(" ").filter(Boolean).map(Number);
  return await Promise.all(ids.map(async (id) => ({ id, command: await commandOf(id) })));
}

/** Empty for a process that has ended. */
const commandOf = (pid: number): Promise<string> => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");

/** The CPU time that a process has used, in hundredths of a second. */
export async function cpuTicksOf(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, "utf8")).split(") ").at(-1)!.split(" ");
  return Number(fields[11]) + Number(fields[12]);
}
