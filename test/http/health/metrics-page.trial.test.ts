import { afterAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { temporaryFolder } from "../../support/media/ffmpeg.ts";
import { parseMetrics, sumOf } from "../../support/metrics-text.ts";
import { s3Server } from "../../support/s3-server.ts";
import { settingsFor, testService } from "../../support/service.ts";
import { formOf, listen, newProject, png } from "../../support/uploads.ts";
import { newFilm, requireJson } from "../../support/work-videos.ts";

const token = "a-token-of-operators";
const store = s3Server();
/** Films are rendered once this is resolved. */
let mayRender = Promise.resolve();
const service = await testService(
  { METRICS_TOKEN: token, ...settingsFor(store.newBucket()) },
  undefined,
  ({ renderer }) => ({
    renderer: { ...renderer, render: (...args) => mayRender.then(() => renderer.render(...args)) },
  }),
);
const ann = await service.register("Ann");
const folder = await temporaryFolder();
const server = listen(service);
afterAll(async () => {
  await server.stop();
  await service.close();
  await store.stop();
  await rm(folder, { recursive: true, force: true });
});

const page = (authorization?: string, path = "/metrics") =>
  fetch(`${server.url}${path}`, { headers: authorization === undefined ? {} : { authorization } });

async function scrape() {
  const response = await page(`Bearer ${token}`);
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toStartWith("text/plain; version=0.0.4");
  return parseMetrics(await response.text());
}

const filmsDone = (samples: Parameters<typeof sumOf>[0]) =>
  sumOf(samples, "export_duration_seconds_count", { outcome: "done", code: "" });

/** An export is counted after its end is committed: its event can come before. */
async function scrapeOnceDone(count: number) {
  for (;;) {
    const samples = await scrape();
    if (filmsDone(samples) >= count) return samples;
  }
}

test("the metrics are for those who know the token", async () => {
  for (const [authorization, code] of [
    [undefined, "unauthenticated"],
    ["Bearer another-token-of-operators", "invalid_token"],
    [`Bearer ${ann.accessToken}`, "invalid_token"],
    [token, "invalid_token"],
  ] as const) {
    const response = await page(authorization);
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toStartWith("Bearer");
    expect((await response.json()).code).toBe(code);
  }
  const posted = await service.request("/metrics", { method: "POST" });
  expect(posted.status).toBe(405);
  expect((await page(undefined, `/metrics?token=${token}`)).status).toBe(401);
});

test("without a token, /metrics is an unknown path", async () => {
  const closed = await testService();
  try {
    const response = await closed.request("/metrics", { headers: { authorization: `Bearer ${token}` } });
    expect([response.status, (await response.json()).code]).toEqual([404, "not_found"]);
  } finally {
    await closed.close();
  }
});

test("requests count by the pattern of their route; unknown paths and methods have one label each", async () => {
  const projectId = await newProject(ann);
  await requireJson(ann.request(`/api/projects/${projectId}`));
  for (const path of ["/nothing", "/api/nothing/at/all", `/${projectId}`]) await service.request(path);
  await service.request("/api/health", { method: "PURGE" });
  await service.request(`/api/projects/${projectId}`);

  const samples = await scrape();
  const count = (labels: Record<string, string>) => sumOf(samples, "http_request_duration_seconds_count", labels);
  expect(count({ method: "GET", route: "/api/projects/:projectId", status: "200" })).toBe(1);
  expect(count({ method: "GET", route: "/api/projects/:projectId", status: "401" })).toBe(1);
  expect(count({ method: "GET", route: "/*", status: "404" })).toBe(3);
  expect(count({ method: "other" })).toBe(1);
  expect(count({ method: "POST", route: "/api/auth/register", status: "201" })).toBe(1);
});

test("the bytes of bodies and files count, those of a HEAD do not", async () => {
  const file = png(300, 200);
  const before = await scrape();
  const base = `/api/projects/${await newProject(ann)}/assets`;
  const { id } = await requireJson(ann.request(base, { method: "POST", body: formOf({ file }) }));
  await (await ann.request(`${base}/${id}`)).bytes();
  await (await ann.request(`${base}/${id}`, { headers: { range: "bytes=0-9" } })).bytes();
  await ann.request(`${base}/${id}`, { method: "HEAD" });

  const after = await scrape();
  const grown = (name: string) => sumOf(after, name) - sumOf(before, name);
  expect(grown("http_sent_file_bytes_total")).toBe(file.size + 10);
  expect(grown("http_received_bytes_total")).toBeGreaterThan(file.size);
  expect(grown("http_received_bytes_total")).toBeLessThan(file.size + 1000);
});

test("a film is seen in the metrics while it renders and after its end, without an id or a user", async () => {
  const { work, request } = await newFilm(ann, folder);
  const before = await scrape();
  const order = () => requireJson(ann.json("POST", "/api/exports", request));
  const gate = Promise.withResolvers<void>();
  mayRender = gate.promise;
  const first = await order();
  // until the stream ends with the export
  const events = await ann.request(`/api/exports/${first.id}/events`);
  const during = await scrape();
  gate.resolve();
  expect(await events.text()).toContain("event: done");
  const second = await order();
  await (await ann.request(`/api/exports/${second.id}/events`)).text();
  const after = await scrapeOnceDone(filmsDone(before) + 2);

  const grown = (name: string, labels = {}) => sumOf(after, name, labels) - sumOf(before, name, labels);
  const jobs = (state: string) => sumOf(during, "queue_jobs", { queue: "exports", state });
  expect(jobs("waiting") + jobs("active")).toBe(1);
  expect(grown("export_duration_seconds_count", { outcome: "done", code: "" })).toBe(2);
  for (const stage of ["wait", "resolve", "sources", "encode", "join", "store"]) {
    expect([stage, grown("export_stage_duration_seconds_count", { stage })]).toEqual([stage, 2]);
  }
  // two half seconds and the sound
  expect(grown("segments_total", { source: "rendered" })).toBe(3);
  expect(grown("segments_total", { source: "local" })).toBe(3);
  expect(grown("segments_total", { source: "shared" })).toBe(0);
  expect(grown("ffmpeg_cpu_seconds_total")).toBeGreaterThan(0);
  expect(grown("ffmpeg_processes_total", { outcome: "ok" })).toBeGreaterThan(1);
  expect(grown("store_request_duration_seconds_count", { operation: "PutObject", status: "200" })).toBeGreaterThan(0);
  const streams = { route: "/api/exports/:exportId/events" };
  expect(grown("http_request_duration_seconds_count", streams)).toBe(2);

  const text = await (await page(`Bearer ${token}`)).text();
  const { id: userId, email } = ann.user;
  for (const secret of [first.id, second.id, work.projectId, work.workId, userId, email, "@", token]) {
    expect(text).not.toContain(secret);
  }
  expect(text).not.toMatch(
    /\b(user|proj|work|asset|tmpl|tok|exp|media|op|call)_[0-9a-zA-Z]{8}|[0-9a-f]{8}-[0-9a-f]{4}-/,
  );
});

test("parts in the bucket that this disk has lost count as shared", async () => {
  const { request } = await newFilm(ann, folder);
  const order = async () => (await requireJson(ann.json("POST", "/api/exports", request))).id;
  await (await ann.request(`/api/exports/${await order()}/events`)).text();
  await rm(`${service.dataDir}/cache`, { recursive: true });
  const before = await scrape();
  await (await ann.request(`/api/exports/${await order()}/events`)).text();

  const after = await scrape();
  const grown = (name: string, labels = {}) => sumOf(after, name, labels) - sumOf(before, name, labels);
  expect(grown("segments_total", { source: "shared" })).toBe(3);
  expect(grown("segments_total", { source: "rendered" })).toBe(0);
});
