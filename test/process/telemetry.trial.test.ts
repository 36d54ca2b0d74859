import { afterAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { freezableProxy } from "../storage/freezable-proxy.ts";
import { textOf } from "../support/child-processes.ts";
import { preparedServerDatabase, serverUrl } from "../support/database.ts";
import { orderFilm, restedFilm } from "../support/films.ts";
import { temporaryFolder } from "../support/media/ffmpeg.ts";
import { parseMetrics, sumOf } from "../support/metrics-text.ts";
import { serviceProcesses } from "../support/processes.ts";
import { registerOn } from "../support/service.ts";
import { type ReceivedSpan, traceReceiver } from "../support/trace-receiver.ts";
import { newFilm, requireJson } from "../support/work-videos.ts";

const { start, launchUntil, end } = await serviceProcesses();
const folder = await temporaryFolder();
afterAll(async () => {
  await end();
  await rm(folder, { recursive: true, force: true });
});

const newUser = (url: string) => registerOn((path, init) => fetch(`${url}${path}`, init), "Ann");

const scrape = async (url: string) => parseMetrics(await (await fetch(url)).text());

const metricsUrlIn = (printed: string) => /metrics +(\S+)/.exec(printed)![1]!;

const receiver = traceReceiver();
const onServer = serverUrl ? await preparedServerDatabase(serverUrl) : undefined;
const proxy = onServer && (await freezableProxy(onServer.databaseUrl));
const shared = onServer && { JWT_SECRET: "a secret that two processes share", DATABASE_URL: onServer.databaseUrl };
const traced = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, LOG_LEVEL: "info", ...shared };
const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const [filmTrace, approval, table] = ["a".repeat(32), "b".repeat(32), "c".repeat(32)];
const spanOf = (trace: string) => ({ traceparent: `00-${trace}-00f067aa0ba902b7-01` });

/** With a server, a worker renders the export. */
const api = await start({ ...traced, ...(onServer && { ROLE: "api" }) });
const workerSettings = {
  ...traced,
  ROLE: "worker",
  METRICS_PORT: "0",
  ...(proxy && { DATABASE_URL: proxy.databaseUrl }),
};
const worker = onServer && (await launchUntil(/takes exports[\s\S]*metrics .*\n/, workerSettings));
const ann = await newUser(api.url);
const { request, work } = await newFilm(ann, folder);
const { id } = await requireJson(
  ann.json("POST", "/api/exports", request, { ...spanOf(traceId), "x-request-id": "the-order" }),
);
await (await fetch(`${api.url}/api/exports/${id}/events?token=${ann.accessToken}`)).text();

afterAll(async () => {
  await receiver.stop();
  proxy?.close();
  await onServer?.drop();
});

test.skipIf(!proxy)("a worker tells what it rendered, and a scrape answers while the database is frozen", async () => {
  const metricsUrl = metricsUrlIn(worker!.printed); // safe because there is one with a server
  let samples = await scrape(metricsUrl);
  // the other process tells of the end as soon as it is stored, which is before the worker counts it
  while (sumOf(samples, "export_duration_seconds_count", { outcome: "done" }) === 0) samples = await scrape(metricsUrl);
  expect(sumOf(samples, "export_duration_seconds_count", { outcome: "done" })).toBe(1);
  expect(sumOf(samples, "segments_total", { source: "rendered" })).toBe(3);
  expect(samples.some(({ name }) => name === "reelwright_queue_jobs")).toBe(true);

  proxy?.freeze();
  let frozen = await scrape(metricsUrl);
  expect(frozen.some(({ name }) => name === "reelwright_queue_jobs")).toBe(false);
  // a success of the last half second counts
  for (; sumOf(frozen, "ready", { check: "database" }) === 1; frozen = await scrape(metricsUrl)) await Bun.sleep(20);
  expect(sumOf(frozen, "ready", { check: "ffmpeg" })).toBe(1);
  expect(sumOf(frozen, "segments_total", { source: "rendered" })).toBe(3);
  proxy?.thaw();
});

let filmPath: string;

test("the trace of a request goes through the queue to the job that it ordered, and tells no secret", async () => {
  // for the next test
  ({ path: filmPath } = await orderFilm(ann, { stopAt: ["scenario"] }, spanOf(filmTrace)));
  expect(await restedFilm(ann, filmPath)).toMatchObject({ waitingFor: "approval" });
  for (const each of [api.launched, ...(worker ? [worker.launched] : [])]) {
    each.kill("SIGTERM");
    expect(await each.exited).toBe(0);
  }

  const ofOrder = receiver.spans.filter((span) => span.traceId === traceId);
  const named = (name: string) => ofOrder.find((span) => span.name === name);
  const order = named("POST /api/exports")!;
  expect(order).toMatchObject({
    parentSpanId: "00f067aa0ba902b7",
    attributes: { "http.request.method": "POST", "http.route": "/api/exports", "http.response.status_code": 202 },
    isFailed: false,
  });
  const job = named("export")!;
  expect(job.parentSpanId).toBe(order.spanId);
  for (const stage of ["resolve", "sources", "encode", "join", "store"]) {
    expect([stage, isBelow(job, named(`export ${stage}`), ofOrder)]).toEqual([stage, true]);
  }
  expect(isBelow(job, named("ffmpeg"), ofOrder)).toBe(true);
  const insert = named("INSERT exports") ?? named("INSERT export_jobs");
  expect(insert).toMatchObject({ parentSpanId: order.spanId, attributes: { "db.operation.name": "INSERT" } });

  const sent = Buffer.concat(receiver.bodies).toString("latin1");
  const secrets = [ann.accessToken, ann.user.email, ann.user.id, work.projectId, id, "token=", "select", "the-order"];
  for (const secret of secrets) expect(sent).not.toContain(secret);

  const lines = logLines(await (worker ?? api).log);
  expect(lines.find(({ msg }) => msg === "export ended")).toMatchObject({
    exportId: id,
    requestId: "the-order",
    traceId,
    status: "done",
    attempt: 1,
  });
});

test("a film is one trace, though another process goes on with it after another request, and so is a table", async () => {
  const second = await start(traced);
  const headers = { authorization: `Bearer ${ann.accessToken}` };
  const there = `${second.url}${filmPath}`;
  await fetch(`${there}/approve`, { method: "POST", headers: { ...headers, ...spanOf(approval) } });
  // until the stream ends with the film
  expect(await (await fetch(`${there}/events`, { headers })).text()).toContain("event: done");
  const film = await (await fetch(there, { headers })).json();
  const batches = `${second.url}/api/projects/${film.projectId}/batches`;
  const rows = [{ name: "a" }];
  const sent = { ...headers, ...spanOf(table), "content-type": "application/json" };
  const body = JSON.stringify({ base: { workId: film.workId }, rows, targets: ["1:1", "16:9"] });
  const batch = await (await fetch(batches, { method: "POST", headers: sent, body })).json();
  expect(await (await fetch(`${batches}/${batch.id}/events`, { headers })).text()).toContain("event: done");
  second.launched.kill("SIGTERM");
  expect(await second.launched.exited).toBe(0);

  const ofTable = receiver.spans.filter(({ traceId }) => traceId === table);
  const parts = ofTable.filter(({ name }) => name.startsWith("batch "));
  expect(parts.map(({ name }) => name).sort()).toEqual(["batch check", "batch film", "batch film"]);
  const ofBatch = ofTable.find(({ name }) => name === "POST /api/projects/:projectId/batches")!;
  for (const part of parts) expect(part.parentSpanId).toBe(ofBatch.spanId);
  const joined = ofTable.find(({ name }) => name === "export join");
  expect(parts.some((part) => isBelow(part, joined, ofTable))).toBe(true);

  const ofOrder = receiver.spans.filter(({ traceId }) => traceId === filmTrace);
  const steps = receiver.spans.filter(({ name }) => name.startsWith("film "));
  expect(new Set(steps.map(({ traceId }) => traceId))).toEqual(new Set([filmTrace]));
  const kinds = film.steps.map(({ kind }: { kind: string }) => `film ${kind}`);
  expect(steps.map(({ name }) => name).sort()).toEqual(kinds.sort());
  const root = ofOrder.find(({ name }) => name === "POST /api/projects/:projectId/films")!;
  for (const step of steps) expect(step.parentSpanId).toBe(root.spanId);
  const exported = steps.find(({ name }) => name === "film export")!;
  const encode = ofOrder.find(({ name }) => name === "export encode");
  expect(isBelow(exported, encode, ofOrder)).toBe(true);
  expect(receiver.spans.some(({ name, traceId }) => name.endsWith("/approve") && traceId === approval)).toBe(true);
  expect(Buffer.concat(receiver.bodies).toString("latin1")).not.toContain(film.id);
});

/** True if the span is a descendant of the other. */
function isBelow(above: ReceivedSpan, span: ReceivedSpan | undefined, all: readonly ReceivedSpan[]): boolean {
  for (let at = span; at; at = all.find(({ spanId }) => spanId === at!.parentSpanId)) {
    if (at.parentSpanId === above.spanId) return true;
  }
  return false;
}

const logLines = (printed: string) =>
  printed
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line));

test("the port of the metrics serves them and the state of the process without a token, and nothing else; a receiver of spans that is silent changes no response, and the process ends", async () => {
  const silent = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Promise<Response>(() => {}) });
  const settings = { METRICS_PORT: "0", OTEL_EXPORTER_OTLP_ENDPOINT: silent.url.origin };
  const { launched, printed, url } = await start(settings);
  await newUser(url);
  const metricsUrl = metricsUrlIn(printed);
  const { origin } = new URL(metricsUrl);
  await fetch(`${url}/api/health`);

  const samples = await scrape(metricsUrl);
  expect(sumOf(samples, "http_request_duration_seconds_count", { route: "/api/health" })).toBe(1);
  expect(sumOf(samples, "ready")).toBe(5);
  expect((await fetch(`${origin}/api/ready`)).status).toBe(200);
  for (const path of ["/", "/docs", "/api/projects"]) expect((await fetch(`${origin}${path}`)).status).toBe(404);
  expect((await fetch(`${url}/metrics`)).status).toBe(404);
  launched.kill("SIGTERM");
  expect(await launched.exited).toBe(0);
  expect(await textOf(launched.stderr)).toBe("");
  await silent.stop(true);
});
