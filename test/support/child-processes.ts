import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";

export const textOf = (stream: ReadableStream) => new Response(stream).text();

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
  return children.filter(({ command }) => /\/sandboxed(?:\/program)?\.ts/.test(command)).map(({ id }) => id);
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
