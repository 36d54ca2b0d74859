import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { runExportJob } from "../../../../src/domain/exports/run.ts";
import { DomainError } from "../../../../src/errors.ts";
import { asking, askingWithScopes } from "../../../helpers/answers.ts";
import { ffmpegs, temporaryFolder } from "../../../helpers/ffmpeg.ts";
import { testService } from "../../../helpers/service.ts";
import { toldRenderer } from "../../../helpers/told-renderer.ts";
import { filesOf, listen } from "../../../helpers/uploads.ts";
import { countUp, newWork, numbered, numbersIn, saved } from "../../../helpers/work-films.ts";

const { renderer, next: nextRendering, forget } = toldRenderer();
const service = await testService({}, undefined, (services) => ({ renderer: renderer(services) }));
const real = await testService();
const folder = await temporaryFolder();
const [ffmpeg] = ffmpegs();

const ann = await service.register("Ann");
const ask = asking(ann);
const film = await newWork(ann, { name: "Film" });
await film.scene(0, await numbered(folder, 100));
const order = {
  ...{ projectId: film.projectId, workId: film.workId },
  clips: [{ sceneIndex: 0, position: 0, end: 1 }],
  options: { width: 64, height: 36, fps: 30 },
};

afterAll(async () => {
  await service.close();
  await real.close();
  await rm(folder, { recursive: true, force: true });
});

/** An export that a worker has begun. */
async function begun(headers: Record<string, string> = {}) {
  const rendering = nextRendering();
  const ordered = await ask("POST", "/api/exports", order, headers);
  return { id: ordered.body.id as string, ordered, rendering: await rendering };
}

type Event = { readonly id: string; readonly event: string; readonly data: Record<string, unknown> };

/** Reads server-sent events until the server ends them. */
async function* eventsOf(response: Response): AsyncGenerator<Event> {
  let text = "";
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const parts = text.split("\n\n");
    text = parts.pop()!;
    for (const part of parts.filter((each) => !each.startsWith(":"))) {
      const fields = Object.fromEntries(part.split("\n").map((line) => line.split(/: (.*)/s).slice(0, 2)));
      yield { id: fields.id, event: fields.event, data: JSON.parse(fields.data) };
    }
  }
}

const followed = (id: string, headers: Record<string, string> = {}) =>
  ann.request(`/api/exports/${id}/events`, { headers });

const endOf = async (id: string) => {
  const events = await Array.fromAsync(eventsOf(await followed(id)));
  return events.at(-1)!;
};

beforeEach(forget);

describe("an export that nobody waits for", () => {
  test("is accepted with the place to look, and done in the end", async () => {
    const { id, ordered, rendering } = await begun();
    expect([ordered.status, ordered.headers.get("location")]).toEqual([202, `/api/exports/${id}`]);
    expect(ordered.body).toMatchObject({ id, status: "queued", progress: 0, frames: 30, warnings: [] });

    const early = await ask("GET", `/api/exports/${id}/file`);
    expect([early.status, early.body.code]).toEqual([409, "not_ready"]);

    await rendering.finish();
    expect(await endOf(id)).toMatchObject({ event: "done", data: { status: "done", progress: 1, size: 10 } });
    const { body } = await ask("GET", `/api/exports/${id}`);
    expect(body).toMatchObject({ status: "done", progress: 1, url: `/api/exports/${id}/file` });
  });

  test("is what Prefer: respond-async asks for", async () => {
    const rendering = nextRendering();
    const { status, headers, body } = await ask("POST", "/api/export", order, { prefer: "wait=1, respond-async" });
    expect([status, headers.get("location")]).toEqual([202, `/api/exports/${body.id}`]);
    await (await rendering).finish();
    await endOf(body.id);
  });

  test("comes as a file that is read in parts, by the address alone", async () => {
    const { id, rendering } = await begun();
    await rendering.finish();
    await endOf(id);

    const path = `/api/exports/${id}/file`;
    const part = await ann.request(path, { headers: { range: "bytes=2-4" } });
    expect([part.status, await part.text(), part.headers.get("content-range")]).toEqual([206, "234", "bytes 2-4/10"]);
    const linked = await service.request(`${path}?token=${ann.accessToken}`);
    expect([linked.status, linked.headers.get("content-disposition")]).toEqual([200, 'inline; filename="Film.mp4"']);
  });

  test("is told wrong at once when the request is", async () => {
    const clips = [{ sceneIndex: 7, position: 0, end: 1 }];
    const { status, body } = await ask("POST", "/api/exports", { ...order, clips });
    expect([status, body.code]).toEqual([422, "scene_video_missing"]);
  });

  test("tells why it failed", async () => {
    const { id, rendering } = await begun();
    rendering.fail(new DomainError("storage_full", {}));
    const { event, data } = await endOf(id);
    expect([event, data.status, data.code]).toEqual(["error", "error", "storage_full"]);
    expect(data.error).toBe(new DomainError("storage_full", {}).message);
  });

  test("keeps a failure of ours to itself", async () => {
    const { id, rendering } = await begun();
    rendering.fail(new Error("/secret/path"));
    const { data } = await endOf(id);
    expect([data.code, JSON.stringify(data).includes("secret")]).toEqual(["internal", false]);
  });

  test("is nobody else's", async () => {
    const { id, rendering } = await begun();
    const bob = await service.register("Bob");
    const paths = [`/api/exports/${id}`, `/api/exports/${id}/file`, `/api/exports/${id}/events`];
    const answers = await Promise.all(paths.map(async (path) => (await bob.request(path)).status));
    expect([...answers, (await bob.json("DELETE", `/api/exports/${id}`)).status]).toEqual([404, 404, 404, 404]);
    expect((await asking(bob)("GET", "/api/exports")).body).toEqual({ exports: [], count: 0 });
    await rendering.finish();
    await endOf(id);
  });

  test("is in the list of its owner, newest first, page by page", async () => {
    const { body, headers } = await ask("GET", "/api/exports?limit=1");
    expect([body.exports.length, body.count > 1, headers.get("link") !== null]).toEqual([1, true, true]);
    const all = (await ask("GET", "/api/exports")).body.exports;
    expect(all.map((each: { createdAt: number }) => each.createdAt)).toEqual(
      all.map((each: { createdAt: number }) => each.createdAt).toSorted((one: number, other: number) => other - one),
    );
  });

  test("needs both scopes", async () => {
    for (const scopes of [["works:read"], ["projects:read"]]) {
      const narrow = await askingWithScopes(service, ann, scopes);
      expect((await narrow("GET", "/api/exports")).body.required).toEqual(["works:read", "projects:read"]);
    }
  });
});

describe("the events of an export", () => {
  test("tell its progress as it grows", async () => {
    const { id, rendering } = await begun();
    const events = eventsOf(await followed(id));
    expect((await events.next()).value).toMatchObject({
      event: "progress",
      data: { status: "rendering", progress: 0 },
    });
    rendering.onProgress?.({ framesDone: 15, framesRendered: 10 });
    expect((await events.next()).value).toMatchObject({ data: { progress: 0.5, stage: "rendering", framesDone: 15 } });
    await rendering.finish();
    expect((await Array.fromAsync(events)).at(-1)).toMatchObject({ event: "done" });
  });

  test("are not told twice to whoever comes back", async () => {
    const { id, rendering } = await begun();
    const first = await eventsOf(await followed(id)).next();
    const again = eventsOf(await followed(id, { "last-event-id": first.value!.id }));
    await rendering.finish();
    const rest = await Array.fromAsync(again);
    expect(rest.map((event) => event.id)).not.toContain(first.value!.id);
    expect((await followed(id, { "last-event-id": rest.at(-1)!.id })).status).toBe(204);
  });

  test("end when the export is removed", async () => {
    const { id } = await begun();
    const events = eventsOf(await followed(id));
    await events.next();
    await ask("DELETE", `/api/exports/${id}`);
    expect((await Array.fromAsync(events)).at(-1)).toMatchObject({ event: "cancelled", data: { status: "cancelled" } });
  });
});

describe("whoever does not want an export any more", () => {
  test("stops it by removing it, and it is gone", async () => {
    const { id, rendering } = await begun();
    const stopped = Promise.withResolvers<void>();
    rendering.signal.addEventListener("abort", () => stopped.resolve());
    expect((await ask("DELETE", `/api/exports/${id}`)).status).toBe(204);
    await stopped.promise;
    expect((await ask("GET", `/api/exports/${id}`)).status).toBe(404);
  });

  test("removes the film of a finished one", async () => {
    const before = (await filesOf(service)).length;
    const { id, rendering } = await begun();
    await rendering.finish();
    await endOf(id);
    expect((await filesOf(service)).length).toBe(before + 1);
    await ask("DELETE", `/api/exports/${id}`);
    expect((await filesOf(service)).length).toBe(before);
  });

  test("cancels one that he waited for by going away", async () => {
    const server = listen(service);
    const rendering = nextRendering();
    const left = new AbortController();
    const headers = { authorization: `Bearer ${ann.accessToken}`, "content-type": "application/json" };
    const waiting = fetch(`${server.url}/api/export`, {
      ...{ method: "POST", headers, body: JSON.stringify(order), signal: left.signal },
    }).catch(() => {});
    const { signal } = await rendering;
    const stopped = Promise.withResolvers<void>();
    signal.addEventListener("abort", () => stopped.resolve());
    left.abort();
    await Promise.all([waiting, stopped.promise]);
    const { body } = await ask("GET", "/api/exports?limit=1");
    expect(body.exports[0].status).toBe("cancelled");
    server.stop();
  });
});

test("an export that no worker comes to the end of is given up", async () => {
  const { id } = await begun();
  const { exports } = service.services;
  for (let died = 0; died < 10; died++) await exports.begin(id, Date.now());
  await runExportJob(service.services, id, new AbortController().signal);
  expect(await endOf(id)).toMatchObject({ event: "error", data: { code: "internal" } });
});

test("a project takes the films of its exports along", async () => {
  const before = (await filesOf(service)).length;
  const short = await newWork(ann);
  await short.scene(0, await numbered(folder, 100));
  const { projectId, workId } = short;
  const rendering = nextRendering();
  const { body } = await ask("POST", "/api/exports", { ...order, projectId, workId });
  await (await rendering).finish();
  await endOf(body.id);
  await ask("DELETE", `/api/projects/${projectId}`);
  expect((await filesOf(service)).length).toBe(before);
});

describe("the queue", () => {
  test("lets two exports of one person run, and the first of another beside them", async () => {
    const bob = await service.register("Bob");
    const other = await newWork(bob);
    await other.scene(0, await numbered(folder, 100));
    const two = [await begun(), await begun()];
    const third = await ask("POST", "/api/exports", order);
    const rendering = nextRendering();
    const { projectId, workId } = other;
    const fromBob = await asking(bob)("POST", "/api/exports", { ...order, projectId, workId });

    expect((await rendering).owner).toBe(bob.user.id);
    expect((await ask("GET", `/api/exports/${third.body.id}`)).body).toMatchObject({
      status: "queued",
      stage: "waiting",
    });
    const thirdRendering = nextRendering();
    for (const running of two) await running.rendering.finish();
    await (await rendering).finish();
    await (await thirdRendering).finish();
    await endOf(third.body.id);
    expect(fromBob.status).toBe(202);
  });
});

test("a film is the same whether it is waited for or fetched", async () => {
  const cleo = await real.register("Cleo");
  const work = await newWork(cleo, { name: "Film" });
  await work.scene(0, await numbered(folder, 100));
  const body = { ...order, projectId: work.projectId, workId: work.workId };
  const ordered = await asking(cleo)("POST", "/api/exports", body);
  const path = `/api/exports/${ordered.body.id}`;
  for await (const _ of eventsOf(await cleo.request(`${path}/events`)));
  const fetched = await saved(folder, await cleo.request(`${path}/file`));
  const waited = await saved(folder, await cleo.json("POST", "/api/export", body));
  expect(await numbersIn(ffmpeg!, fetched)).toEqual(countUp(100, 30));
  expect(await Bun.file(fetched).bytes()).toEqual(await Bun.file(waited).bytes());
});
