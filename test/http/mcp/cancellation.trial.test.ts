import { afterAll, beforeEach, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { eventsOf } from "../../support/events.ts";
import { firstClient, handshakeClient, newClient } from "../../support/mcp-clients.ts";
import { controlledRenderer, type Rendering } from "../../support/media/controlled-renderer.ts";
import { temporaryFolder } from "../../support/media/ffmpeg.ts";
import { scriptedModels } from "../../support/models/scripted-models.ts";
import { testService } from "../../support/service.ts";
import { listen } from "../../support/uploads.ts";
import { newFilm, requireJson } from "../../support/work-videos.ts";

const { renderer, next: nextRendering, reset } = controlledRenderer();
const { script, models } = scriptedModels();
const service = await testService({}, undefined, (services) => ({
  renderer: renderer(services),
  ...models(services),
}));
const folder = await temporaryFolder();
const ann = await service.register("Ann");
const { request } = await newFilm(ann, folder);
const server = listen(service);
const start = { name: "export_start", arguments: { ...request, waitSeconds: 50 } };
const draw = { name: "ai_generate_image", arguments: { prompt: "A lake" } };

beforeEach(() => {
  reset();
  script.reset();
});
afterAll(async () => {
  server.stop();
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

const exportsOfAnn = async () => (await requireJson(ann.request("/api/exports"))).exports;

/** Resolves once the render's signal aborts. */
const aborted = ({ signal }: Rendering) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });

/** Resolves once the export is gone: its events end with it. */
async function gone(id: string): Promise<void> {
  await Array.fromAsync(eventsOf(await ann.request(`/api/exports/${id}/events`))).catch(() => {});
}

type Call = Parameters<Awaited<ReturnType<typeof newClient>>["callTool"]>[0];

/** Connects a client and makes a call, which the signal cancels. */
const clients = {
  "of 2026-07-28": async (call: Call, signal: AbortSignal) =>
    (await newClient(server, ann.accessToken)).callTool(call, { signal }),
  "of 2025-11-25": async (call: Call, signal: AbortSignal) =>
    (await handshakeClient(server, ann.accessToken)).callTool(call, { signal }),
  "of SDK version 1": async (call: Call, signal: AbortSignal) =>
    (await firstClient(server, ann.accessToken)).callTool(call, undefined, { signal }),
};

test.each(Object.entries(clients))("a client %s that cancels export_start cancels the export", async (_, call) => {
  const rendering = nextRendering();
  const cancel = new AbortController();
  const called = call(start, cancel.signal);
  const { signal } = await rendering;
  const [{ id }] = await exportsOfAnn();

  cancel.abort();
  await expect(called).rejects.toThrow();

  await aborted({ signal } as Rendering);
  await gone(id);
  expect(await exportsOfAnn()).toEqual([]);
});

test.each(Object.entries(clients))(
  "a client %s that cancels a generation ends the provider's call",
  async (_, call) => {
    const started = Promise.withResolvers<AbortSignal>();
    script.draw = (_task, { clientSignal }) => {
      started.resolve(clientSignal);
      return new Promise((_, reject) => clientSignal.addEventListener("abort", () => reject(clientSignal.reason)));
    };
    const cancel = new AbortController();
    const called = call(draw, cancel.signal);
    const signal = await started.promise;
    cancel.abort();
    await expect(called).rejects.toThrow();
    await aborted({ signal } as Rendering);
  },
);

test("a client of 2025-11-25 whose connection closes during export_start cancels the export", async () => {
  const client = await handshakeClient(server, ann.accessToken);
  const rendering = nextRendering();
  const call = client.callTool(start);
  const started = await rendering;

  await client.close();

  await expect(call).rejects.toThrow();
  await aborted(started);
});

test("a cancelled export_status leaves the export", async () => {
  const client = await newClient(server, ann.accessToken);
  const rendering = nextRendering();
  const { structuredContent } = await client.callTool({ ...start, arguments: { ...request, waitSeconds: 0 } });
  const { id: exportId } = structuredContent as { id: string };
  const { finish } = await rendering;
  const cancel = new AbortController();
  const call = client.callTool({ name: "export_status", arguments: { exportId } }, { signal: cancel.signal });
  cancel.abort();
  await expect(call).rejects.toThrow();

  const waiting = client.callTool({ name: "export_status", arguments: { exportId } });
  await finish();
  expect((await waiting).structuredContent).toMatchObject({ id: exportId, status: "done" });
  await client.close();
});

test("a client cannot cancel the call of another, though both number their calls alike", async () => {
  const bea = await service.register("Bea");
  const victim = await handshakeClient(server, ann.accessToken);
  const other = await handshakeClient(server, ann.accessToken);
  const stranger = await handshakeClient(server, bea.accessToken);
  const rendering = nextRendering();
  const call = victim.callTool(start);
  const { finish } = await rendering;
  for (const client of [other, stranger]) {
    for (let requestId = 0; requestId < 5; requestId++) {
      await client.notification({ method: "notifications/cancelled", params: { requestId } });
    }
  }
  await finish();

  expect((await call).structuredContent).toMatchObject({ status: "done" });
});
