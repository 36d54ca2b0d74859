import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startServer, startService } from "../../scripts/demo/service.ts";
import { findFfmpeg } from "../../src/engine/ffmpeg/ffmpeg.ts";
import { prepareDataFolder, preparedServerDatabase, serverUrl } from "../support/database.ts";
import { type Figure, report } from "./figures.ts";
import { type LoadResult, measureLoad } from "./http-load.ts";
import { cpuSeconds, medianOf } from "./measure.ts";
import { startNginx } from "./nginx.ts";
import { createRequests, openListeners } from "./request-data.ts";

/**
 * Measures small requests with the default settings, in turn with a bare server and with nginx: on the embedded
 * database, and on the server that TEST_DATABASE_URL names.
 */
const rounds = 5;
const seconds = 3;
const connections = 16;
const rangeConnections = 4;
const listeners = 500;

type Server = { readonly url: string; readonly pid?: number };
type Measured = LoadResult & { readonly cpuPerRequest: number };

const { path: ffmpeg } = await findFfmpeg(process.env.FFMPEG_PATH);
report([...(await figuresOn("embedded")), ...(serverUrl ? await figuresOn("Postgres", serverUrl) : [])]);

async function figuresOn(database: string, adminUrl?: string): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), "reelwright-bench-"));
  const onServer = adminUrl ? await preparedServerDatabase(adminUrl) : undefined;
  const databaseUrl = onServer?.databaseUrl ?? "";
  const dataDir = join(folder, "data");
  const secrets = { JWT_SECRET: "a secret of 32 bytes that only benches know" };
  const start = (variables = {}) =>
    startService(dataDir, { LOG_LEVEL: "info", ...secrets, DATABASE_URL: databaseUrl, ...variables });
  const stops: (() => Promise<void>)[] = [];
  const running = async <Started extends { stop(): Promise<void> } | undefined>(starting: Promise<Started>) => {
    const server = await starting;
    if (server) stops.push(server.stop);
    return server;
  };
  try {
    if (!onServer) await prepareDataFolder(dataDir);
    const first = await running(start());
    const requests = await createRequests(first.url, ffmpeg, join(folder, "sound.wav"));
    await first.stop();
    if (!onServer) await cp(join(dataDir, "postgres"), join(folder, "bare"), { recursive: true });

    const service = await running(start());
    const bareCommand = [join(import.meta.dir, "bare-api.ts"), databaseUrl, join(folder, "bare")];
    const bare = await running(startServer(bareCommand, secrets));
    const nginx = await running(startNginx(folder, "sound.wav"));
    const figures: Figure[] = [];
    const add = (figure: string, measured: string, goal = "") =>
      figures.push({ figure: `${figure}, ${database}`, measured, goal });

    const reads = await inUserSlot([service, bare], requests.reads, connections);
    add("GET /api/projects/:id", describe(reads[0]!), "p99 <= 20 ms");
    add("GET /api/projects/:id, a second / bare", ratioOf(reads), onServer ? ">= 0.6" : ">= 0.5");
    add("GET /api/projects/:id, CPU of the bare server / service", cpuRatioOf(reads));
    add("100 projects", describe((await inUserSlot([service], requests.lists, connections))[0]!));
    add("POST /api/projects", describe((await inUserSlot([service], requests.writes, connections))[0]!));
    const servers = [service, ...(nginx ? [nginx] : [])];
    const ranges = await inUserSlot(servers, requests.ranges, rangeConnections);
    add("1 MB of a file", describe(ranges[0]!));
    if (nginx) add("1 MB of a file, a second / nginx", ratioOf(ranges), ">= 0.9");
    await Promise.all([service.stop(), bare.stop(), nginx?.stop()]);

    if (onServer) {
      // without a worker, the export stays in the queue
      const api = await running(start({ ROLE: "api" }));
      const close = await openListeners(api.url, listeners, folder);
      const cpuBefore = cpuSeconds(api.pid).own;
      await Bun.sleep(seconds * 1000);
      const cpu = (cpuSeconds(api.pid).own - cpuBefore) / seconds;
      add(`${listeners} idle listeners, CPU`, `${(cpu * 100).toFixed(1)} %`);
      const beside = await inUserSlot([api], requests.reads, connections);
      add(`GET /api/projects/:id beside ${listeners} idle listeners`, describe(beside[0]!), "p99 <= 20 ms");
      close();
    }
    return figures;
  } finally {
    await Promise.all(stops.map((stop) => stop()));
    await onServer?.drop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Measures the servers one after the other in each round, after a round that warms them up. */
async function inUserSlot(servers: readonly Server[], requests: readonly string[], connections: number) {
  const results = servers.map((): Measured[] => []);
  for (let round = 0; round <= rounds; round++) {
    for (const [index, { url, pid }] of servers.entries()) {
      const before = pid ? cpuSeconds(pid).own : 0;
      const result = await measureLoad({ url, connections, seconds, requests });
      const cpu = pid ? cpuSeconds(pid).own - before : 0;
      const cpuPerRequest = cpu / (result.perSecond * seconds);
      if (round > 0) results[index]!.push({ ...result, cpuPerRequest });
    }
  }
  return results;
}

function describe(results: readonly Measured[]): string {
  const median = (value: (result: Measured) => number) => medianOf(results.map(value));
  const p99 = median((result) => result.p99).toFixed(1);
  const cpu = (median((result) => result.cpuPerRequest) * 1e6).toFixed(0);
  return `${median((result) => result.perSecond).toFixed(0)} a second, p99 ${p99} ms, CPU ${cpu} us`;
}

/** The first server to the second, round by round. */
function ratioOf([ours = [], theirs = []]: readonly (readonly Measured[])[]): string {
  return spread(ours.map((result, round) => result.perSecond / theirs[round]!.perSecond));
}

function cpuRatioOf([ours = [], theirs = []]: readonly (readonly Measured[])[]): string {
  return spread(ours.map((result, round) => theirs[round]!.cpuPerRequest / result.cpuPerRequest));
}

function spread(ratios: readonly number[]): string {
  return `${medianOf(ratios).toFixed(2)} (worst ${Math.min(...ratios).toFixed(2)})`;
}
