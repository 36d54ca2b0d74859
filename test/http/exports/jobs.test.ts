import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { runExportJob } from "../../../src/domain/exports/lifecycle/run.ts";
import { DomainError } from "../../../src/errors.ts";
import { eventsOf } from "../../support/events.ts";
import { jsonClient, jsonClientWithScopes } from "../../support/json-client.ts";
import { leaseEnds } from "../../support/lease-ends.ts";
import { controlledRenderer } from "../../support/media/controlled-renderer.ts";
import { ffmpegs, temporaryFolder } from "../../support/media/ffmpeg.ts";
import { jsonInit, sharedService, testService } from "../../support/service.ts";
import { filesOf, listen, png } from "../../support/uploads.ts";
import {
  countUp,
  newPictureFilm,
  newWork,
  numberedVideo,
  readNumbers,
  saveResponse,
} from "../../support/work-videos.ts";

const { renderer, next: nextRendering, reset } = controlledRenderer();
const ends = leaseEnds();
const service = await testService({}, undefined, (services) => ({
  ...ends.store(services),
  renderer: renderer(services),
}));
const folder = await temporaryFolder();
const [ffmpeg] = ffmpegs();

const ann = await service.register("Ann");
const api = jsonClient(ann);
const { request } = await newPictureFilm(ann, { seconds: 1, fps: 30 });

afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

/** An export that a worker is rendering. */
async function startExport(headers: Record<string, string> = {}) {
  const rendering = nextRendering();
  const accepted = await api("POST", "/api/exports", request, headers);
  return { id: accepted.body.id as string, accepted, rendering: await rendering };
}

const requestEvents = (id: string, headers: Record<string, string> = {}) =>
  ann.request(`/api/exports/${id}/events`, { headers });

const lastEvent = async (id: string) => {
  const events = await Array.fromAsync(eventsOf(await requestEvents(id)));
  return events.at(-1)!;
};

beforeEach(reset);

describe("an asynchronous export", () => {
  test("is accepted with its location, and ends as done", async () => {
    const { id, accepted, rendering } = await startExport();
    expect([accepted.status, accepted.headers.get("location")]).toEqual([202, `/api/exports/${id}`]);
    expect(accepted.body).toMatchObject({ id, status: "queued", progress: 0, frames: 30 });
    expect(accepted.body.warnings).toMatchObject([{ path: "audio", code: "silent_result" }]);

    const early = await api("GET", `/api/exports/${id}/file`);
    expect([early.status, early.body.code]).toEqual([409, "not_ready"]);

    await rendering.finish();
    expect(await lastEvent(id)).toMatchObject({ event: "done", data: { status: "done", progress: 1, size: 10 } });
    const { body } = await api("GET", `/api/exports/${id}`);
    expect(body).toMatchObject({ status: "done", progress: 1, url: `/api/exports/${id}/file` });
  });

  test("is what Prefer: respond-async requests", async () => {
    const rendering = nextRendering();
    const { status, headers, body } = await api("POST", "/api/export", request, { prefer: "wait=1, respond-async" });
    expect([status, headers.get("location")]).toEqual([202, `/api/exports/${body.id}`]);
    await (await rendering).finish();
    await lastEvent(body.id);
  });

  test("has a file that supports ranges and a token in the URL", async () => {
    const { id, rendering } = await startExport();
    await rendering.finish();
    await lastEvent(id);

    const path = `/api/exports/${id}/file`;
    const range = await ann.request(path, { headers: { range: "bytes=2-4" } });
    expect([range.status, await range.text(), range.headers.get("content-range")]).toEqual([
      206,
      "234",
      "bytes 2-4/10",
    ]);
    const byToken = await service.request(`${path}?token=${ann.accessToken}`);
    expect([byToken.status, byToken.headers.get("content-disposition")]).toEqual([200, 'inline; filename="Film.mp4"']);
  });

  test("is rejected at once if the request is wrong", async () => {
    const clips = [{ sceneIndex: 7, position: 0, end: 1 }];
    const { status, body } = await api("POST", "/api/exports", { ...request, clips });
    expect([status, body.code]).toEqual([422, "scene_video_missing"]);
  });

  test("shows why it failed", async () => {
    const { id, rendering } = await startExport();
    rendering.fail(new DomainError("storage_full", {}));
    const { event, data } = await lastEvent(id);
    expect([event, data.status, data.code]).toEqual(["error", "error", "storage_full"]);
    expect(data.error).toBe(new DomainError("storage_full", {}).message);
  });

  test("does not reveal an internal error", async () => {
    const { id, rendering } = await startExport();
    rendering.fail(new Error("/secret/path"));
    const { data } = await lastEvent(id);
    expect([data.code, JSON.stringify(data).includes("secret")]).toEqual(["internal", false]);
  });

  test("is not visible to another user", async () => {
    const { id, rendering } = await startExport();
    const bob = await service.register("Bob");
    const paths = [`/api/exports/${id}`, `/api/exports/${id}/file`, `/api/exports/${id}/events`];
    const statuses = await Promise.all(paths.map(async (path) => (await bob.request(path)).status));
    expect([...statuses, (await bob.json("DELETE", `/api/exports/${id}`)).status]).toEqual([404, 404, 404, 404]);
    expect((await jsonClient(bob)("GET", "/api/exports")).body).toEqual({ exports: [], count: 0 });
    await rendering.finish();
    await lastEvent(id);
  });

  test("is in its owner's list, newest first, in pages", async () => {
    const { body, headers } = await api("GET", "/api/exports?limit=1");
    expect([body.exports.length, body.count > 1, headers.get("link") !== null]).toEqual([1, true, true]);
    const all = (await api("GET", "/api/exports")).body.exports;
    expect(all.map((each: { createdAt: number }) => each.createdAt)).toEqual(
      all.map((each: { createdAt: number }) => each.createdAt).toSorted((one: number, other: number) => other - one),
    );
  });

  test("needs both scopes", async () => {
    for (const scopes of [["works:read"], ["projects:read"]]) {
      const narrow = await jsonClientWithScopes(service, ann, scopes);
      expect((await narrow("GET", "/api/exports")).body.required).toEqual(["works:read", "projects:read"]);
    }
  });
});

describe("the events of an export", () => {
  test("report its progress", async () => {
    const { id, rendering } = await startExport();
    const events = eventsOf(await requestEvents(id));
    expect((await events.next()).value).toMatchObject({
      event: "progress",
      data: { status: "rendering", progress: 0 },
    });
    rendering.onProgress?.({ framesDone: 15, framesRendered: 10 });
    expect((await events.next()).value).toMatchObject({ data: { progress: 0.5, stage: "rendering", framesDone: 15 } });
    await rendering.finish();
    expect((await Array.fromAsync(events)).at(-1)).toMatchObject({ event: "done" });
  });

  test("are not repeated to a client that reconnects", async () => {
    const { id, rendering } = await startExport();
    const first = await eventsOf(await requestEvents(id)).next();
    const reconnected = eventsOf(await requestEvents(id, { "last-event-id": first.value!.id }));
    await rendering.finish();
    const rest = await Array.fromAsync(reconnected);
    expect(rest.map((event) => event.id)).not.toContain(first.value!.id);
    expect((await requestEvents(id, { "last-event-id": rest.at(-1)!.id })).status).toBe(204);
  });

  test("end if the export is removed", async () => {
    const { id } = await startExport();
    const events = eventsOf(await requestEvents(id));
    await events.next();
    await api("DELETE", `/api/exports/${id}`);
    expect((await Array.fromAsync(events)).at(-1)).toMatchObject({ event: "cancelled", data: { status: "cancelled" } });
  });
});

describe("cancelling an export", () => {
  test("by removing it stops the rendering, and it is gone", async () => {
    const { id, rendering } = await startExport();
    const stopped = Promise.withResolvers<void>();
    rendering.signal.addEventListener("abort", () => stopped.resolve());
    expect((await api("DELETE", `/api/exports/${id}`)).status).toBe(204);
    await stopped.promise;
    expect((await api("GET", `/api/exports/${id}`)).status).toBe(404);
  });

  test("that is done removes its video", async () => {
    const before = (await filesOf(service)).length;
    const { id, rendering } = await startExport();
    await rendering.finish();
    await lastEvent(id);
    expect((await filesOf(service)).length).toBe(before + 1);
    await api("DELETE", `/api/exports/${id}`);
    expect((await filesOf(service)).length).toBe(before);
  });

  test("happens if the client of a synchronous request disconnects", async () => {
    const server = listen(service);
    const rendering = nextRendering();
    const client = new AbortController();
    const headers = { authorization: `Bearer ${ann.accessToken}`, "content-type": "application/json" };
    const response = fetch(`${server.url}/api/export`, {
      method: "POST",
      headers,
      body: JSON.stringify(request),
      signal: client.signal,
    }).catch(() => {});
    const { signal } = await rendering;
    const stopped = Promise.withResolvers<void>();
    signal.addEventListener("abort", () => stopped.resolve());
    client.abort();
    await Promise.all([response, stopped.promise]);
    const { body } = await api("GET", "/api/exports?limit=1");
    expect(body.exports[0].status).toBe("cancelled");
    server.stop();
  });
});

test("a synchronous export with a key goes on without its client, and a retry gets its film", async () => {
  const left = Promise.withResolvers<void>();
  const server = listen(service, left.resolve);
  const rendering = nextRendering();
  const client = new AbortController();
  const key = { "idempotency-key": crypto.randomUUID() };
  const headers = { authorization: `Bearer ${ann.accessToken}`, ...key };
  const response = fetch(`${server.url}/api/export`, {
    ...jsonInit("POST", request, headers),
    signal: client.signal,
  });
  const { finish } = await rendering;
  client.abort();
  await expect(response).rejects.toThrow();
  await left.promise;
  const retry = () => ann.json("POST", "/api/export", request, key);
  expect((await retry()).status).toBe(409);

  await finish();
  await ends.ofKey(ann, key["idempotency-key"]);
  const film = await retry();
  expect([film.status, film.headers.get("idempotency-replayed")]).toEqual([200, "true"]);
  expect(await film.text()).toBe("0123456789");
  await server.stop();
});

test("an export fails after thirty attempts whose processes died", async () => {
  const { id } = await startExport();
  const { exports } = service.services;
  for (let attempts = 0; attempts < 30; attempts++) await exports.acquire(id, Date.now());
  await runExportJob(service.services, id, new AbortController().signal);
  expect(await lastEvent(id)).toMatchObject({ event: "error", data: { code: "internal" } });
});

test("removing a project removes the videos of its exports", async () => {
  const before = (await filesOf(service)).length;
  const other = await newWork(ann);
  await other.image(0, png(64, 36));
  const { projectId, workId } = other;
  const rendering = nextRendering();
  const { body } = await api("POST", "/api/exports", { ...request, projectId, workId });
  await (await rendering).finish();
  await lastEvent(body.id);
  await api("DELETE", `/api/projects/${projectId}`);
  expect((await filesOf(service)).length).toBe(before);
});

describe("the queue", () => {
  test("runs two exports of one user, and beside them the first of another", async () => {
    const bob = await service.register("Bob");
    const other = await newWork(bob);
    await other.image(0, png(64, 36));
    const two = [await startExport(), await startExport()];
    const third = await api("POST", "/api/exports", request);
    const rendering = nextRendering();
    const { projectId, workId } = other;
    const fromBob = await jsonClient(bob)("POST", "/api/exports", { ...request, projectId, workId });

    expect((await rendering).owner).toBe(bob.user.id);
    expect((await api("GET", `/api/exports/${third.body.id}`)).body).toMatchObject({
      status: "queued",
      stage: "waiting",
    });
    const thirdRendering = nextRendering();
    for (const running of two) await running.rendering.finish();
    await (await rendering).finish();
    await (await thirdRendering).finish();
    await lastEvent(third.body.id);
    expect(fromBob.status).toBe(202);
  });
});

test("a synchronous and an asynchronous export give the same file", async () => {
  const cleo = await (await sharedService()).register("Cleo");
  const work = await newWork(cleo, { name: "Film" });
  await work.scene(0, await numberedVideo(folder, 100, 9));
  const clips = [{ sceneIndex: 0, position: 0, end: 0.3 }];
  const body = { ...request, clips, projectId: work.projectId, workId: work.workId };
  const accepted = await jsonClient(cleo)("POST", "/api/exports", body);
  const path = `/api/exports/${accepted.body.id}`;
  for await (const _ of eventsOf(await cleo.request(`${path}/events`)));
  const asynchronous = await saveResponse(folder, await cleo.request(`${path}/file`));
  const synchronous = await saveResponse(folder, await cleo.json("POST", "/api/export", body));
  expect(await readNumbers(ffmpeg!, asynchronous)).toEqual(countUp(100, 9));
  expect(await Bun.file(asynchronous).bytes()).toEqual(await Bun.file(synchronous).bytes());
});
