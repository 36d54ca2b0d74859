import { join } from "node:path";

/** More than a server prints until it is ready. */
const maxStartCharacters = 10_000;

type Variables = Record<string, string>;

/** Starts the service on a free port with its own data folder; resolves when it serves requests. */
export const startService = (dataDir: string, variables: Variables = {}) =>
  startServer([join(import.meta.dir, "../../src/main.ts")], {
    DATA_DIR: dataDir,
    DATABASE_URL: "",
    PORT: "0",
    LOG_LEVEL: "error",
    ...variables,
  });

/** Starts a server script and waits until it prints its address. */
export async function startServer(command: readonly string[], variables: Variables = {}) {
  const child = Bun.spawn([process.execPath, ...command], {
    env: { ...process.env, ...variables },
    stdout: "pipe",
    stderr: "inherit",
  });
  const url = await readAddress(child.stdout);
  if (!url) throw new Error("The service did not start.");
  const stop = async () => {
    child.kill("SIGTERM");
    await child.exited;
  };
  return { url, pid: child.pid, stop };
}

/** The address that the server prints; undefined if its output ends first. Goes on reading: a service has a log. */
function readAddress(output: ReadableStream<Uint8Array>): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  let text = "";
  const decoder = new TextDecoder();
  const read = async () => {
    for await (const chunk of output) {
      if (text.length > maxStartCharacters) continue;
      text += decoder.decode(chunk, { stream: true });
      const [, url] = /address\s+(http\S+)/.exec(text) ?? [];
      if (url) resolve(url);
    }
    resolve(undefined);
  };
  void read();
  return promise;
}
