import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres } from "../faults/cluster/postgres.ts";
import { processTree, signalAll } from "../faults/cluster/programs.ts";
import { s3Server } from "../support/s3-server.ts";
import { settingsFor } from "../support/service.ts";

const main = join(import.meta.dir, "../../src/main.ts");

type Counts = ReadonlyMap<string, number>;

/** One process for requests and one for exports, on a PostgreSQL and an object store that count what they are asked. */
export async function startCountedService(firstPort: number, variables: Readonly<Record<string, string>> = {}) {
  const folder = await mkdtemp(join(tmpdir(), "reelwright-bench-"));
  // for the user of the database server
  await chmod(folder, 0o755);
  const postgres = await startPostgres(folder, firstPort, ["-c", "shared_preload_libraries=pg_stat_statements"]);
  // pages as large as those of Amazon
  const store = s3Server({ pageSize: 1000 });
  const bucket = settingsFor(store.newBucket());
  const running: Bun.Subprocess[] = [];

  async function start(role: "api" | "worker"): Promise<void> {
    const dataDir = join(folder, role);
    await mkdir(dataDir);
    const { PATH = "", HOME = "", FFMPEG_PATH = "" } = process.env;
    const settings = { ...bucket, ROLE: role, DATA_DIR: dataDir, PORT: `${firstPort + 1}`, FFMPEG_PATH };
    const secrets = { DATABASE_URL: postgres.url, JWT_SECRET: "a secret that both processes of the bench share" };
    const env = { PATH, HOME, ...settings, ...secrets, LOG_LEVEL: "warn", ...variables };
    const child = Bun.spawn([process.execPath, main], { env, stdout: "pipe", stderr: "inherit" });
    running.push(child);
    let printed = "";
    for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
      printed += chunk;
      if (/Reelwright (is ready|takes exports)/.test(printed)) return;
    }
    throw new Error(`The service did not start: ${printed}`);
  }

  /** Calls of each statement so far, but for those of the bench. */
  const counts = async (): Promise<Counts> => {
    const rows = await postgres.query(`select /* bench */ query, sum(calls)::int as calls from pg_stat_statements
      where query not like '%/* bench */%' group by query`);
    return new Map(rows.map(({ query, calls }) => [query, calls]));
  };

  const end = async () => {
    for (const { pid } of running) signalAll(await processTree(pid), "SIGKILL");
    await postgres.end();
    await store.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await postgres.query("create extension pg_stat_statements");
    await start("api");
    await start("worker");
  } catch (error) {
    await end();
    throw error;
  }

  return {
    url: `http://127.0.0.1:${firstPort + 1}`,
    folder,
    pids: () => running.map(({ pid }) => pid),
    query: postgres.query,
    storeRequests: store.requests,
    /** The statements that come while `work` runs, and its seconds. */
    async countDuring(work: () => Promise<unknown>) {
      const before = await counts();
      const begunAt = performance.now();
      await work();
      const seconds = (performance.now() - begunAt) / 1000;
      const all = [...(await counts())].map(([query, calls]) => [query, calls - (before.get(query) ?? 0)] as const);
      const calls = all.filter(([, calls]) => calls > 0).toSorted((one, other) => other[1] - one[1]);
      return { statements: calls.reduce((sum, [, count]) => sum + count, 0), seconds, calls };
    },
    end,
  };
}
