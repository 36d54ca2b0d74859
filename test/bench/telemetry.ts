import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startServer } from "../../scripts/demo/service.ts";
import { prepareDataFolder } from "../support/database.ts";
import { registerOn } from "../support/service.ts";
import { newProject } from "../support/uploads.ts";
import { type Figure, report } from "./figures.ts";
import { measureLoad } from "./http-load.ts";
import { cpuSeconds, medianOf } from "./measure.ts";

/**
 * Measures what metrics and traces add to the CPU time of GET of a project, on the embedded database. BENCH_BASE names
 * the main.ts of another checkout to compare with.
 */
const rounds = Number(process.env.BENCH_RUNS ?? 5);
const seconds = 3;
const connections = 8;

const receiver = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response(new Uint8Array()) });
const main = join(import.meta.dir, "../../src/main.ts");
const { BENCH_BASE: base } = process.env;
const variants: readonly { name: string; main: string; variables: Record<string, string> }[] = [
  ...(base ? [{ name: "the other checkout", main: base, variables: {} }] : []),
  { name: "neither", main, variables: {} },
  { name: "metrics", main, variables: { METRICS_PORT: "0" } },
  { name: "traces", main, variables: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url.origin } },
];

const folder = await mkdtemp(join(tmpdir(), "reelwright-bench-"));
const prepared = join(folder, "prepared");
await prepareDataFolder(prepared);
const servers = await Promise.all(
  variants.map(async ({ name, main, variables }, index) => {
    const dataDir = join(folder, `${index}`);
    await cp(prepared, dataDir, { recursive: true });
    const settings = { DATA_DIR: dataDir, DATABASE_URL: "", PORT: "0", LOG_LEVEL: "info", RATE_LIMIT: "off" };
    const server = await startServer([main], { ...settings, ...variables });
    const user = await registerOn((path, init) => fetch(`${server.url}${path}`, init), "Ann");
    const line = `GET /api/projects/${await newProject(user)} HTTP/1.1`;
    const request = `${line}\r\nHost: bench\r\nAuthorization: Bearer ${user.accessToken}\r\n\r\n`;
    return { ...server, name, request, cpu: [] as number[] };
  }),
);

for (let round = 0; round <= rounds; round++) {
  for (const { url, pid, request, cpu } of servers) {
    const before = cpuSeconds(pid).own;
    const { perSecond } = await measureLoad({ url, connections, seconds, requests: [request] });
    const perRequest = (cpuSeconds(pid).own - before) / (perSecond * seconds);
    // the first round warms up
    if (round > 0) cpu.push(perRequest * 10_000);
  }
}

const [first] = servers;
const figures: Figure[] = servers.map(({ name, cpu }) => {
  const ratio = medianOf(cpu.map((value, round) => value / first!.cpu[round]!));
  const measured = `${medianOf(cpu).toFixed(2)} s (${((ratio - 1) * 100).toFixed(1)} %)`;
  return { figure: `CPU of 10,000 GET of a project, ${name}`, measured, goal: name === "metrics" ? "<= 2 % more" : "" };
});
await Promise.all(servers.map(({ stop }) => stop()));
await receiver.stop(true);
await rm(folder, { recursive: true, force: true });
report(figures);
