import { chown, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { Client } from "pg";
import { processTree, runProgram, signalAll, waitUntil } from "./programs.ts";

/** The newest installed server of Debian's packages, or the folder that FAULTS_POSTGRES_BIN names. */
async function binaries(): Promise<string> {
  const { FAULTS_POSTGRES_BIN } = process.env;
  if (FAULTS_POSTGRES_BIN) return FAULTS_POSTGRES_BIN;
  const found = await Array.fromAsync(new Bun.Glob("*/bin/postgres").scan("/usr/lib/postgresql"));
  const newest = found.toSorted().at(-1);
  if (!newest) throw new Error("PostgreSQL is not installed: set FAULTS_POSTGRES_BIN to the folder of its programs.");
  return join("/usr/lib/postgresql", newest, "..");
}

/** PostgreSQL refuses to run as root: there, its programs run as the user postgres. */
const asPostgres = (command: readonly string[]): readonly string[] =>
  process.getuid?.() === 0
    ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", ...command]
    : command;

async function ownedFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true });
  if (process.getuid?.() !== 0) return;
  const id = async (flag: string) => Number(await Bun.$`id ${flag} postgres`.text());
  await chown(path, await id("-u"), await id("-g"));
}

/** A PostgreSQL server of its own in `folder`, which can be killed, restarted and frozen. */
export async function startPostgres(folder: string, port: number, options: readonly string[] = []) {
  const bin = await binaries();
  const data = join(folder, "postgres");
  await ownedFolder(data);
  await Bun.$`${asPostgres([join(bin, "initdb"), "-D", data, "-U", "faults", "-A", "trust", "-E", "UTF8", "--no-sync"])}`
    .cwd("/")
    .quiet();
  const settings = [
    "-c",
    "listen_addresses=127.0.0.1",
    "-c",
    "unix_socket_directories=",
    "-c",
    "max_connections=200",
    ...options,
  ];
  const launch = () =>
    runProgram({
      command: asPostgres([join(bin, "postgres"), "-D", data, "-p", `${port}`, ...settings]),
      cwd: "/",
      logPath: join(folder, "postgres.log"),
    });
  const url = `postgres://faults@127.0.0.1:${port}/postgres`;
  const isReady = () =>
    query(url, "select 1").then(
      () => true,
      () => false,
    );
  let running = launch();
  const ready = async () => {
    if (!(await waitUntil(isReady, 60_000))) throw new Error("PostgreSQL did not start: see postgres.log.");
  };
  await ready();
  return {
    url,
    query: (text: string) => query(url, text),
    freeze: async () => signalAll(await processTree(running.pid), "SIGSTOP"),
    thaw: async () => signalAll(await processTree(running.pid), "SIGCONT"),
    /** Ends all connections and the server, as a restart of its machine does. */
    async stop() {
      running.kill("SIGINT");
      await running.exited;
    },
    async restart() {
      running = launch();
      await ready();
    },
    async end() {
      signalAll(await processTree(running.pid), "SIGCONT");
      running.kill("SIGQUIT");
      await running.exited;
    },
  };
}

// biome-ignore lint/suspicious/noExplicitAny: rows of any shape
async function query(url: string, text: string): Promise<any[]> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 3_000, query_timeout: 20_000 });
  client.on("error", () => {});
  try {
    await client.connect();
    return (await client.query(text)).rows;
  } finally {
    await client.end().catch(() => {});
  }
}
