import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { prepareDataFolder } from "./database.ts";

const main = join(import.meta.dir, "../../src/main.ts");

type Variables = Record<string, string>;

export const textOf = (stream: ReadableStream) => new Response(stream).text();

/** Runs the service in separate processes. They share one data folder unless `variables` set another. */
export async function serviceProcesses({ isFirstStart = false } = {}) {
  const folder = await mkdtemp(join(tmpdir(), "reelwright-main-"));
  if (!isFirstStart) await prepareDataFolder(join(folder, "data"));
  const running: Bun.Subprocess[] = [];

  /** `detached` gives the process a group of its own, which `-pid` names. */
  function launch(variables: Variables, { detached = false } = {}) {
    const { PATH = "", HOME = "", FFMPEG_PATH = "" } = process.env;
    const env = { PATH, HOME, FFMPEG_PATH, DATA_DIR: join(folder, "data"), PORT: "0", ...variables };
    const launched = Bun.spawn(["bun", main], { env, cwd: folder, stdout: "pipe", stderr: "pipe", detached });
    running.push(launched);
    return launched;
  }

  /** Launches a process and waits until it serves requests; `printed` is its output until then. */
  async function start(variables: Variables = {}, options: { readonly detached?: boolean } = {}) {
    const launched = launch(variables, options);
    let printed = "";
    for await (const chunk of launched.stdout.pipeThrough(new TextDecoderStream())) {
      printed += chunk;
      if (/try it .*\n/.test(printed)) break;
    }
    const [, url] = /address +(\S+)/.exec(printed) ?? [];
    if (!url) throw new Error(`The service did not start: ${await textOf(launched.stderr)}`);
    return { launched, printed, url };
  }

  const end = async () => {
    for (const launched of running) launched.kill("SIGKILL");
    await rm(folder, { recursive: true, force: true });
  };
  return { folder, launch, start, end };
}

/** True if the process has child processes, or if the system does not list them. */
export async function hasChildren(pid: number): Promise<boolean> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8").catch(() => "unknown");
  return children.trim() !== "";
}

/** True if the process has mapped a file of this name into memory, or if the system does not list its files. */
export async function hasOpened(pid: number, name: string): Promise<boolean> {
  const files = await readFile(`/proc/${pid}/maps`, "utf8").catch(() => name);
  return files.includes(name);
}
