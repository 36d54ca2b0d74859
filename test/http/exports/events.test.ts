import { afterAll, afterEach, beforeEach, describe, expect, setSystemTime, spyOn, test } from "bun:test";
import { eventsOf } from "../../support/events.ts";
import { jsonClient } from "../../support/json-client.ts";
import { controlledRenderer } from "../../support/media/controlled-renderer.ts";
import { password, testService } from "../../support/service.ts";
import { listen } from "../../support/uploads.ts";
import { newPictureFilm } from "../../support/work-videos.ts";

const { renderer, next: nextRendering, reset } = controlledRenderer();
const lines: string[] = [];
const log = { write: (line: string) => void lines.push(line) };
const service = await testService({ LOG_LEVEL: "error" }, log, (services) => ({
  renderer: renderer(services),
  settings: { ...services.settings, credentialRecheckMs: 100 },
}));

const ann = await service.register("Ann");
const api = jsonClient(ann);
const { request } = await newPictureFilm(ann, { seconds: 1, fps: 30 });

afterAll(() => service.close());

/** An export that a worker is rendering. */
async function startExport() {
  const rendering = nextRendering();
  const { body } = await api("POST", "/api/exports", request);
  return { id: body.id as string, rendering: await rendering };
}

const eventsPath = (id: string) => `/api/exports/${id}/events`;

const requestEvents = (id: string, headers: Record<string, string> = {}) => ann.request(eventsPath(id), { headers });

/** The names of the calls that read one export, while `action` runs. */
async function readsDuring(action: () => Promise<unknown>): Promise<readonly string[]> {
  const exports = service.services.exports as Record<string, (...args: never[]) => Promise<unknown>>;
  const originals = Object.entries(exports).filter(([name]) => name.startsWith("find"));
  const reads: string[] = [];
  for (const [name, original] of originals) {
    exports[name] = (...args) => {
      reads.push(name);
      return original(...args);
    };
  }
  await action().finally(() => Object.assign(exports, Object.fromEntries(originals)));
  return reads;
}

beforeEach(() => {
  reset();
  lines.length = 0;
});
afterEach(() => void setSystemTime());

describe("HEAD of the event stream", () => {
  test("has the status and headers of GET while the export runs, and no body", async () => {
    const { id, rendering } = await startExport();
    const server = listen(service);
    const client = new AbortController();
    const send = (method: string) =>
      fetch(server.url + eventsPath(id), {
        method,
        headers: { authorization: `Bearer ${ann.accessToken}` },
        signal: client.signal,
      });
    const head = await send("HEAD");
    const get = await send("GET");
    const described = ({ status, headers }: Response) => [
      status,
      headers.get("content-type"),
      headers.get("cache-control"),
      headers.get("content-length"),
    ];
    expect(described(head)).toEqual(described(get));
    expect([head.headers.get("content-type"), await head.text()]).toEqual(["text/event-stream", ""]);
    client.abort();
    await rendering.finish();
    await server.stop();
  });
});

test("a change is read once for all its listeners, without the request", async () => {
  const { id, rendering } = await startExport();
  const streams = await Promise.all(Array.from({ length: 20 }, async () => eventsOf(await requestEvents(id))));
  await Promise.all(streams.map((events) => events.next()));
  const reads = await readsDuring(async () => {
    rendering.onProgress?.({ framesDone: 15, framesRendered: 10 });
    for (const events of streams) expect((await events.next()).value).toMatchObject({ data: { framesDone: 15 } });
  });
  // the process also polls, every other second
  expect(reads.length).toBeLessThan(streams.length);
  expect(new Set(reads)).toEqual(new Set(["findState"]));
  await rendering.finish();
  for (const events of streams) expect((await Array.fromAsync(events)).at(-1)).toMatchObject({ event: "done" });
});

/** Longer than a credential counts as checked; twice of it is less than what ends a job without a heartbeat. */
const recheckedMs = 4_000;

describe("a stream whose credential was revoked", () => {
  // the time that a test takes does not add to its jumps
  beforeEach(() => void setSystemTime(new Date()));
  type Credential = { readonly token: string; revoke(): Promise<unknown> };
  const login = async (): Promise<Credential> => {
    const credentials = { email: ann.user.email, password };
    const { body } = await api("POST", "/api/auth/login", credentials);
    const { accessToken, refreshToken } = body;
    return { token: accessToken, revoke: () => api("POST", "/api/auth/logout", { refreshToken }) };
  };
  const apiToken = async (): Promise<Credential> => {
    const { body } = await api("POST", "/api/tokens", { name: "Robot", scopes: ["works:read", "projects:read"] });
    return { token: body.token, revoke: () => api("DELETE", `/api/tokens/${body.meta.id}`) };
  };

  test.each([
    ["a login", login],
    ["an API token", apiToken],
  ])("ends without another event: %s", async (_, credential) => {
    const { token, revoke } = await credential();
    const { id, rendering } = await startExport();
    const revoked = eventsOf(await requestEvents(id, { authorization: `Bearer ${token}` }));
    const valid = eventsOf(await requestEvents(id));
    for (const events of [revoked, valid]) expect((await events.next()).value).toMatchObject({ event: "progress" });

    setSystemTime(Date.now() + recheckedMs);
    rendering.onProgress?.({ framesDone: 15, framesRendered: 10 });
    for (const events of [revoked, valid])
      expect((await events.next()).value).toMatchObject({ data: { framesDone: 15 } });

    await revoke();
    setSystemTime(Date.now() + recheckedMs);
    await rendering.finish();
    expect((await Array.fromAsync(valid)).at(-1)).toMatchObject({ event: "done" });
    expect(await Array.fromAsync(revoked)).toEqual([]);
  });

  test.each([
    ["a login", login],
    ["an API token", apiToken],
  ])("ends although the export has no more events: %s", async (_, credential) => {
    const { token, revoke } = await credential();
    const { id, rendering } = await startExport();
    const revoked = eventsOf(await requestEvents(id, { authorization: `Bearer ${token}` }));
    await revoked.next();

    await revoke();
    setSystemTime(Date.now() + recheckedMs);
    expect(await Array.fromAsync(revoked)).toEqual([]);
    await rendering.finish();
  });
});

test("a user has at most fifty streams, and closing one frees its place at once", async () => {
  const { id, rendering } = await startExport();
  const streams = await Promise.all(Array.from({ length: 50 }, () => requestEvents(id)));
  expect(new Set(streams.map(({ status }) => status))).toEqual(new Set([200]));

  const rejected = await api("GET", eventsPath(id));
  expect([rejected.status, rejected.body.code]).toEqual([429, "rate_limited"]);
  expect(Number(rejected.headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await ann.request(eventsPath(id), { method: "HEAD" })).status).toBe(200);

  await streams[0]!.body!.cancel();
  const reopened = await requestEvents(id);
  expect([reopened.status, (await requestEvents(id)).status]).toEqual([200, 429]);

  await rendering.finish();
  for (const stream of [...streams.slice(1), reopened]) await Array.fromAsync(eventsOf(stream));
  expect((await Array.fromAsync(eventsOf(await requestEvents(id)))).at(-1)).toMatchObject({ event: "done" });
});

test("an error inside a stream ends it and is logged without its message", async () => {
  const { id, rendering } = await startExport();
  const response = await requestEvents(id, { "x-request-id": "abc" });
  const events = eventsOf(response);
  await events.next();
  const { exports } = service.services;
  const { findState } = exports;
  const printed = spyOn(console, "error").mockImplementation(() => {});
  exports.findState = () => Promise.reject(new TypeError("select hunter2"));
  rendering.onProgress?.({ framesDone: 15, framesRendered: 10 });
  const rest = await Array.fromAsync(events).finally(() => Object.assign(exports, { findState }));

  // a look that had begun may still tell of the progress
  expect(rest.filter(({ event }) => event !== "progress")).toEqual([]);
  expect(printed).not.toHaveBeenCalled();
  printed.mockRestore();
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ level: 50, requestId: "abc", error: expect.objectContaining({ name: "TypeError" }) }),
  ]);
  expect(lines.join("")).not.toContain("hunter2");
  await rendering.finish();
});
