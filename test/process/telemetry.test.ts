import { afterAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { freezableProxy } from "../storage/freezable-proxy.ts";
import { emptyServerDatabase, serverUrl } from "../support/database.ts";
import { orderFilm, restedFilm } from "../support/films.ts";
import { temporaryFolder } from "../support/media/ffmpeg.ts";
import { parseMetrics, sumOf } from "../support/metrics-text.ts";
import { serviceProcesses, textOf } from "../support/processes.ts";
import { registerOn } from "../support/service.ts";
import { type ReceivedSpan, traceReceiver } from "../support/trace-receiver.ts";
import { newFilm, requireJson } from "../support/work-videos.ts";

const { start, launch, end } = await serviceProcesses();
const folder = await temporaryFolder();
afterAll(async () => {
  await end();
  await rm(folder, { recursive: true, force: true });
});

const shared = { JWT_SECRET: "a secret that two processes share" };

const newUser = (url: string) => registerOn((path, init) => fetch(`${url}${path}`, init), "Ann");

const scrape = async (url: string) => parseMetrics(await (await fetch(url)).text());

const metricsUrlIn = (printed: string) => /metrics +(\S+)/.exec(printed)![1]!;

/** Launches a process and waits until it prints a line that matches. `log` is all that it prints until its end. */
async function launchUntil(pattern: RegExp, variables: Record<string, string>) {
  const launched = launch(variables);
  let printed = "";
  const { promise: matched, resolve, reject } = Promise.withResolvers<void>();
  const read = async () => {
    const decoder = new TextDecoder();
    for await (const chunk of launched.stdout) {
      printed += decoder.decode(chunk, { stream: true });
      if (pattern.test(printed)) resolve();
    }
    reject(new Error(`The process ended: ${printed}`));
    return printed;
  };
  const log = read();
  await matched;
  return { launched, printed, log };
}

async function failedStart(variables: Record<string, string>) {
  const { stderr, exited } = launch(variables);
  const [message, code] = await Promise.all([textOf(stderr), exited]);
  expect(code).toBe(1);
  return message;
}

test("a port for the metrics that cannot be used, or a bad token, fails the start with one line", async () => {
  const taken = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const { port } = taken;
  const messages = await Promise.all([
    failedStart({ METRICS_PORT: `${port}` }),
    failedStart({ PORT: "4107", METRICS_PORT: "4107" }),
    failedStart({ METRICS_TOKEN: "too short" }),
  ]);
  await taken.stop(true);
  expect(messages).toEqual([
    `Cannot listen on 127.0.0.1:${port}: is another process there? Choose another METRICS_PORT.\n`,
    "Bad setting METRICS_PORT: must differ from PORT.\n",
    "Bad setting METRICS_TOKEN: must have at least 16 letters, digits or any of -._~+/.\n",
  ]);
});

test("the port of the metrics serves them and the state of the process without a token, and nothing else", async () => {
  const { launched, printed, url } = await start({ METRICS_PORT: "0" });
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
});

test.skipIf(!serverUrl)(
  "a worker tells what it rendered, and a scrape answers while the database is frozen",
  async () => {
    const { databaseUrl, drop } = await emptyServerDatabase(serverUrl!);
    const proxy = await freezableProxy(databaseUrl);
    const { launched: api, url } = await start({ ...shared, ROLE: "api", DATABASE_URL: databaseUrl });
    const variables = { ...shared, ROLE: "worker", DATABASE_URL: proxy.databaseUrl, METRICS_PORT: "0" };
    const { launched: worker, printed } = await launchUntil(/metrics .*\n/, variables);
    const metricsUrl = metricsUrlIn(printed);
    const ann = await newUser(url);
    const { request } = await newFilm(ann, folder);
    const { id } = await requireJson(ann.json("POST", "/api/exports", request));
    await (await ann.request(`/api/exports/${id}/events`)).text();

    let samples = await scrape(metricsUrl);
    // the other process tells of the end as soon as it is stored, which is before the worker counts it
    while (sumOf(samples, "export_duration_seconds_count", { outcome: "done" }) === 0)
      samples = await scrape(metricsUrl);
    expect(sumOf(samples, "export_duration_seconds_count", { outcome: "done" })).toBe(1);
    expect(sumOf(samples, "segments_total", { source: "rendered" })).toBe(3);
    expect(samples.some(({ name }) => name === "reelwright_queue_jobs")).toBe(true);

    proxy.freeze();
    let frozen = await scrape(metricsUrl);
    expect(frozen.some(({ name }) => name === "reelwright_queue_jobs")).toBe(false);
    // a success of the last half second counts
    for (; sumOf(frozen, "ready", { check: "database" }) === 1; frozen = await scrape(metricsUrl)) await Bun.sleep(20);
    expect(sumOf(frozen, "ready", { check: "ffmpeg" })).toBe(1);
    expect(sumOf(frozen, "segments_total", { source: "rendered" })).toBe(3);
    proxy.thaw();
    for (const each of [api, worker]) {
      each.kill("SIGTERM");
      await each.exited;
    }
    proxy.close();
    await drop();
  },
);

test("the trace of a request goes through the queue to the job that it ordered, and tells no secret", async () => {
  const receiver = traceReceiver();
  const onServer = serverUrl ? await emptyServerDatabase(serverUrl) : undefined;
  const traced = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, LOG_LEVEL: "info" };
  const variables = { ...traced, ...(onServer && { ...shared, DATABASE_URL: onServer.databaseUrl }) };
  const {
    launched: api,
    printed,
    log,
  } = await launchUntil(/try it .*\n/, { ...variables, ...(onServer && { ROLE: "api" }) });
  const worker = onServer && (await launchUntil(/takes exports/, { ...variables, ROLE: "worker" }));
  const [, url = ""] = /address +(\S+)/.exec(printed) ?? [];

  const ann = await newUser(url);
  const { request, work } = await newFilm(ann, folder);
  const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
  const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01`, "x-request-id": "the-order" };
  const { id } = await requireJson(ann.json("POST", "/api/exports", request, headers));
  await (await fetch(`${url}/api/exports/${id}/events?token=${ann.accessToken}`)).text();
  for (const each of [api, ...(worker ? [worker.launched] : [])]) {
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

  const lines = logLines(await (worker?.log ?? log));
  expect(lines.find(({ msg }) => msg === "export ended")).toMatchObject({
    exportId: id,
    requestId: "the-order",
    traceId,
    status: "done",
    attempt: 1,
  });
  await receiver.stop();
  await onServer?.drop();
});

test("a film is one trace, though another process goes on with it after another request, and so is a table", async () => {
  const receiver = traceReceiver();
  const onServer = serverUrl ? await emptyServerDatabase(serverUrl) : undefined;
  const traced = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url };
  const variables = { ...traced, ...(onServer && { ...shared, DATABASE_URL: onServer.databaseUrl }) };
  const ended = async ({ launched }: { launched: Bun.Subprocess }) => {
    launched.kill("SIGTERM");
    expect(await launched.exited).toBe(0);
  };
  const [order, approval, table] = ["a".repeat(32), "b".repeat(32), "c".repeat(32)];
  const spanOf = (traceId: string) => ({ traceparent: `00-${traceId}-00f067aa0ba902b7-01` });

  const first = await start(variables);
  const ann = await newUser(first.url);
  const { path } = await orderFilm(ann, { stopAt: ["scenario"] }, spanOf(order));
  expect(await restedFilm(ann, path)).toMatchObject({ waitingFor: "approval" });
  await ended(first);
  const second = await start(variables);
  const headers = { authorization: `Bearer ${ann.accessToken}` };
  const there = `${second.url}${path}`;
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
  await ended(second);

  const ofTable = receiver.spans.filter(({ traceId }) => traceId === table);
  const parts = ofTable.filter(({ name }) => name.startsWith("batch "));
  expect(parts.map(({ name }) => name).sort()).toEqual(["batch check", "batch film", "batch film"]);
  const ofBatch = ofTable.find(({ name }) => name === "POST /api/projects/:projectId/batches")!;
  for (const part of parts) expect(part.parentSpanId).toBe(ofBatch.spanId);
  const joined = ofTable.find(({ name }) => name === "export join");
  expect(parts.some((part) => isBelow(part, joined, ofTable))).toBe(true);

  const ofOrder = receiver.spans.filter(({ traceId }) => traceId === order);
  const steps = receiver.spans.filter(({ name }) => name.startsWith("film "));
  expect(new Set(steps.map(({ traceId }) => traceId))).toEqual(new Set([order]));
  const kinds = film.steps.map(({ kind }: { kind: string }) => `film ${kind}`);
  expect(steps.map(({ name }) => name).sort()).toEqual(kinds.sort());
  const root = ofOrder.find(({ name }) => name === "POST /api/projects/:projectId/films")!;
  for (const step of steps) expect(step.parentSpanId).toBe(root.spanId);
  const exported = steps.find(({ name }) => name === "film export")!;
  const encode = ofOrder.find(({ name }) => name === "export encode");
  expect(isBelow(exported, encode, ofOrder)).toBe(true);
  expect(receiver.spans.some(({ name, traceId }) => name.endsWith("/approve") && traceId === approval)).toBe(true);
  expect(Buffer.concat(receiver.bodies).toString("latin1")).not.toContain(film.id);
  await receiver.stop();
  await onServer?.drop();
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

test("a receiver that is silent changes no response, and the process ends", async () => {
  const silent = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Promise<Response>(() => {}) });
  const { launched, url } = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: silent.url.origin });
  await newUser(url);
  launched.kill("SIGTERM");
  expect(await launched.exited).toBe(0);
  expect(await textOf(launched.stderr)).toBe("");
  await silent.stop(true);
});
