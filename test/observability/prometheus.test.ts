import { expect, jest, test } from "bun:test";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import dashboard from "../../deploy/grafana-dashboard.json";
import { prometheusMetrics } from "../../src/observability/prometheus.ts";
import { parseMetrics, sumOf } from "../support/metrics-text.ts";

const build = { version: "1.2.3", ffmpeg: 'n7.1 "quoted" \\ path' };
const depth = { queue: "exports", waiting: 2, delayed: 1, active: 3, oldestWaitingSeconds: 4.5 };

const connected = (sources = {}) => {
  const metrics = prometheusMetrics();
  const readiness = async () => ({ database: "ok", disk: "failing" }) as const;
  const processSlots = () => ({ running: 3, slots: 7 });
  const counts = {
    queueDepths: async () => [depth],
    filmCounts: async () => [{ status: "waiting", waitingFor: "budget", count: 4 }] as const,
    batchCounts: async () => [{ status: "waiting", waitingFor: "approval", count: 3 }] as const,
    freeDiskBytes: async () => 5e9,
    waitingRemovals: async () => 2,
    processSlots,
    connections: () => ({ used: 2, idle: 1, waiting: 0, limit: 10 }),
    cacheBytes: async () => ({ segments: 4096, frames: 0 }),
  };
  metrics.connect({ build, readiness, ...counts, ...sources });
  return metrics;
};

const namesIn = (text: string) => new Set(text.match(/\b(?:reelwright|process)_[a-z0-9_]+\b/g));

test("the page of the metrics names exactly those that exist", async () => {
  const page = await Bun.file(join(import.meta.dir, "../../docs/metrics.md")).text();
  const documented = [...page.matchAll(/^\| `((?:reelwright|process)_\w+)` \|/gm)].map(([, name]) => name);
  expect(documented.sort()).toEqual([...connected().names()].sort());
});

test("every query of the dashboard reads metrics that exist, and most metrics are on it", () => {
  const queries = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  const asked = new Set([...namesIn(queries.join("\n"))].map((name) => name.replace(/_(bucket|sum|count)$/, "")));
  const names = connected().names();
  expect([...asked].filter((name) => !names.includes(name))).toEqual([]);
  expect(names.filter((name) => !asked.has(name))).toEqual([]);
});

const rulesPath = join(import.meta.dir, "../../deploy/prometheus-alerts.yaml");

test("every alert reads metrics that exist", async () => {
  const names = connected().names();
  const asked = [...namesIn(await Bun.file(rulesPath).text())];
  expect(asked.length).toBeGreaterThan(5);
  expect(asked.map((name) => name.replace(/_(bucket|sum|count)$/, "")).filter((name) => !names.includes(name))).toEqual(
    [],
  );
});

const promtool = Bun.which("promtool");

test.if(promtool !== null)("promtool accepts the alerts, and the names and labels of a scrape", async () => {
  const metrics = connected();
  metrics.maintenanceEnded("exports", "ok");
  const rules = Bun.spawnSync([promtool!, "check", "rules", rulesPath]);
  const scrape = Bun.spawnSync([promtool!, "check", "metrics"], { stdin: Buffer.from(await metrics.text()) });
  expect([rules.exitCode, scrape.exitCode, scrape.stderr.toString()]).toEqual([0, 0, ""]);
});

test("the labels in the dashboard's queries are those of the metrics", async () => {
  const metrics = connected();
  metrics.requestEnded({ method: "GET", route: "/*", status: 404, seconds: 1 });
  metrics.exportEnded({ outcome: "done", code: "", seconds: 1 });
  metrics.providerCalled({ provider: "openai", category: "llm", outcome: "ok", seconds: 1 });
  metrics.spent({ provider: "openai", model: "gpt", amount: 1n });
  metrics.storeRequested({ operation: "GetObject", status: "200", seconds: 1 });
  metrics.ffmpegEnded({ outcome: "ok", userSeconds: 1, milliseconds: 9, systemSeconds: 1 });
  metrics.maintenanceEnded("exports", "ok");
  const labels = new Set(parseMetrics(await metrics.text()).flatMap((sample) => Object.keys(sample.labels)));
  const queries = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)).join("\n");
  const grouped = [...queries.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list]) => list!.split(", "));
  const filtered = [...queries.matchAll(/(\w+)(?:=|!=|=~)"/g)].map(([, name]) => name!);
  // Prometheus itself adds the instance
  const unknown = [...grouped, ...filtered].filter((name) => !labels.has(name) && name !== "instance");
  expect(unknown).toEqual([]);
});

test("a scrape holds what was counted, and what the process and its parts say", async () => {
  const metrics = connected();
  metrics.requestEnded({ method: "GET", route: "/api/projects/:projectId", status: 200, seconds: 0.02 });
  metrics.requestEnded({ method: "GET", route: "/api/projects/:projectId", status: 200, seconds: 0.3 });
  metrics.ffmpegEnded({ outcome: "failed", userSeconds: 1.5, milliseconds: 9, systemSeconds: 0.5 });
  metrics.spent({ provider: "openai", model: "gpt", amount: 42_000n });
  metrics.spent({ provider: "openai", model: "gpt", amount: 1_000_000n });
  const samples = parseMetrics(await metrics.text());
  const route = { method: "GET", route: "/api/projects/:projectId", status: "200" };
  expect(sumOf(samples, "http_request_duration_seconds_count", route)).toBe(2);
  expect(sumOf(samples, "http_request_duration_seconds_bucket", { ...route, le: "0.1" })).toBe(1);
  expect(sumOf(samples, "http_request_duration_seconds_sum", route)).toBeCloseTo(0.32);
  expect(sumOf(samples, "ffmpeg_cpu_seconds_total")).toBe(2);
  expect(sumOf(samples, "ffmpeg_processes_total", { outcome: "failed" })).toBe(1);
  expect(sumOf(samples, "queue_jobs", { queue: "exports", state: "waiting" })).toBe(2);
  expect(sumOf(samples, "queue_oldest_waiting_seconds", { queue: "exports" })).toBe(4.5);
  expect(sumOf(samples, "provider_spend_usd_total", { provider: "openai", model: "gpt" })).toBeCloseTo(1.042);
  expect(sumOf(samples, "films", { state: "waiting", waiting_for: "budget" })).toBe(4);
  expect(sumOf(samples, "films")).toBe(4);
  expect(samples).toContainEqual({ name: "reelwright_ready", labels: { check: "disk" }, value: 0 });
  expect(samples).toContainEqual({ name: "reelwright_ready", labels: { check: "database" }, value: 1 });
  expect(sumOf(samples, "build_info")).toBe(1);
  expect(sumOf(samples, "process_resident_memory_bytes")).toBeGreaterThan(10_000_000);
  expect(sumOf(samples, "process_cpu_seconds_total")).toBeGreaterThan(0);
  expect(sumOf(samples, "process_start_time_seconds")).toBeCloseTo(performance.timeOrigin / 1000, -1);
});

test("the event-loop lag shows a blocked thread once", async () => {
  const metrics = connected();
  const lagIn = async () => sumOf(parseMetrics(await metrics.text()), "event_loop_lag_max_seconds");
  /** The first lag that the monitor has measured. */
  const measured = async () => {
    for (;;) {
      const lag = await lagIn();
      if (lag > 0) return lag;
      await nextTurn();
    }
  };
  await measured();
  Bun.sleepSync(150);
  expect(await measured()).toBeGreaterThan(0.1);
  // a busy machine may delay a timer as well
  while ((await lagIn()) > 0.1);
});

test("a scrape goes on without sources that hang or fail, and asks a hanging one only once", async () => {
  let asked = 0;
  const hanging = Promise.withResolvers<never>();
  const queueDepths = () => {
    asked++;
    return hanging.promise;
  };
  const metrics = connected({ queueDepths });
  jest.useFakeTimers();
  const scrapes = [metrics.text(), metrics.text()];
  // until both wait for nothing else
  for (let tick = 0; tick < 100; tick++) await Promise.resolve();
  jest.advanceTimersByTime(2_000);
  jest.useRealTimers();
  const texts = await Promise.all(scrapes);
  const refused = () => Promise.reject(new Error("no"));
  const failing = connected({
    queueDepths: refused,
    filmCounts: refused,
    batchCounts: refused,
    waitingRemovals: refused,
    freeDiskBytes: refused,
  });
  texts.push(await failing.text());
  for (const text of texts) {
    const samples = parseMetrics(text);
    expect(samples.filter(({ name }) => name.startsWith("reelwright_queue"))).toEqual([]);
    expect(sumOf(samples, "build_info")).toBe(1);
  }
  expect(asked).toBe(1);
});
