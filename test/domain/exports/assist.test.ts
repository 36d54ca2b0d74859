import { afterAll, afterEach, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import { startAssistant } from "../../../src/domain/exports/lifecycle/assist.ts";
import type { Renderer } from "../../../src/domain/exports/renderer.ts";
import type { RunStore } from "../../../src/domain/exports/shared-runs.ts";
import { DomainError } from "../../../src/errors.ts";
import { exportRuns } from "../../../src/storage/database/tables/exports.ts";
import { runStore } from "../../../src/storage/exports/runs.ts";
import { jsonClient } from "../../helpers/json-client.ts";
import { controlledRenderer } from "../../helpers/media/controlled-renderer.ts";
import { temporaryFolder } from "../../helpers/media/ffmpeg.ts";
import { testService } from "../../helpers/service.ts";
import { newFilm } from "../../helpers/work-videos.ts";

const { renderer, next: nextRendering } = controlledRenderer();
const service = await testService({}, undefined, (services) => ({ renderer: renderer(services) }));
const folder = await temporaryFolder();
const ann = await service.register("Ann");
const api = jsonClient(ann);
const { request } = await newFilm(ann, folder);
const runs = runStore(service.db);
const helpers: { stop(): Promise<void> }[] = [];

afterEach(async () => {
  await Promise.all(helpers.splice(0).map((helper) => helper.stop()));
  await service.db.delete(exportRuns);
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

/** An export in progress, two of whose runs other processes may render. */
async function sharedExport() {
  const rendering = nextRendering();
  const { body } = await api("POST", "/api/exports", request);
  const { finish } = await rendering;
  const id: string = body.id;
  const shared = runs.of({ exportId: id, attempt: 1 });
  await shared.publish([0, 1].map((number) => ({ first: number, last: number, content: `${number}` })));
  return { id, shared, finish };
}

type RenderRuns = Renderer["renderRuns"];

/** An idle process. `assisting` is called for each assistance. */
function idleProcess(renderRuns: RenderRuns, store: RunStore = runStore(service.db)) {
  const errors: unknown[] = [];
  const ports = { ...service.services, renderer: { renderRuns }, runs: store };
  const assistant = startAssistant(ports, { logError: (error) => errors.push(error), lookEveryMs: 1 });
  helpers.push(assistant);
  return { assistant, errors };
}

/** Claims a run and renders until it is aborted. Resolves with the options at the first assistance. */
function endlessRendering() {
  const begun = Promise.withResolvers<Parameters<RenderRuns>>();
  const ended = Promise.withResolvers<void>();
  let count = 0;
  const renderRuns: RenderRuns = async (timelines, options) => {
    count++;
    await options.sharedRuns.claim();
    begun.resolve([timelines, options]);
    while (!options.signal.aborted) await nextTurn();
    ended.resolve();
    options.signal.throwIfAborted();
  };
  return { renderRuns, begun: begun.promise, ended: ended.promise, times: () => count };
}

test("an idle process renders for the export of another until it ends", async () => {
  const { id, finish } = await sharedExport();
  const rendering = endlessRendering();
  const { errors } = idleProcess(rendering.renderRuns);

  const [[timeline], options] = await rendering.begun;

  expect(timeline?.track.frames).toBe(30);
  expect(options).toMatchObject({ owner: ann.user.id, projectId: request.projectId, quality: "standard" });
  await finish();
  await rendering.ended;
  expect((await api("GET", `/api/exports/${id}`)).body.status).toBe("done");
  expect(errors).toEqual([]);
});

test("the assistance ends with the export, and gives its runs back", async () => {
  const { id, shared } = await sharedExport();
  const rendering = endlessRendering();
  const { assistant, errors } = idleProcess(rendering.renderRuns);
  await rendering.begun;

  await service.services.exports.cancel(id, Date.now());
  await rendering.ended;
  await assistant.stop();

  expect((await shared.claim())?.number).toBe(0);
  expect(errors).toEqual([]);
});

test("an own export ends the assistance, and none begins before that export has ended", async () => {
  const { shared, finish } = await sharedExport();
  const rendering = endlessRendering();
  const { assistant } = idleProcess(rendering.renderRuns);
  await rendering.begun;

  await assistant.during(async () => {
    await rendering.ended;
    // it may look a few times in these
    for (let query = 0; query < 20; query++) await runs.findOpen();
    expect(rendering.times()).toBe(1);
  });
  while (rendering.times() === 1) await runs.findOpen();

  await assistant.stop();
  expect((await shared.claim())?.number).toBe(0);
  await finish();
});

test("an export that this process cannot help is left alone, and reported once", async () => {
  const { finish } = await sharedExport();
  let looks = 0;
  const store = runStore(service.db);
  const counted: RunStore = {
    ...store,
    findOpen: () => {
      looks++;
      return store.findOpen();
    },
  };
  const failure = new Error("other bytes");
  const { errors } = idleProcess(() => Promise.reject(failure), counted);

  while (looks < 10) await runs.findOpen();

  expect(errors).toEqual([failure]);
  await finish();
});

test("while the database is away, nothing is reported, and the assistance goes on later", async () => {
  const { finish } = await sharedExport();
  const rendering = endlessRendering();
  let calls = 0;
  const { errors } = idleProcess((timelines, options) => {
    calls++;
    if (calls < 3) throw new DomainError("unavailable", {});
    return rendering.renderRuns(timelines, options);
  });

  await rendering.begun;

  expect(errors).toEqual([]);
  await finish();
});
