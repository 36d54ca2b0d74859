import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { textOf } from "./child-processes.ts";
import { prepareDataFolder } from "./database.ts";

const main = join(import.meta.dir, "../../src/main.ts");

type Variables = Record<string, string>;

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
