import { afterAll, afterEach, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import { helpOtherExports } from "../../../../src/domain/exports/lifecycle/help-other-exports.ts";
import type { RenderTaskStore } from "../../../../src/domain/exports/lifecycle/jobs.ts";
import type { Renderer } from "../../../../src/engine/ports.ts";
import { DomainError } from "../../../../src/errors.ts";
import { renderTaskStore } from "../../../../src/storage/exports/render-tasks.ts";
import { exportRuns } from "../../../../src/storage/tables/exports.ts";
import { jsonClient } from "../../../support/json-client.ts";
import { controlledRenderer } from "../../../support/media/controlled-renderer.ts";
import { temporaryFolder } from "../../../support/media/ffmpeg.ts";
import { testService } from "../../../support/service.ts";
import { newFilm } from "../../../support/work-videos.ts";

const { renderer, next: nextRendering } = controlledRenderer();
const service = await testService({}, undefined, (services) => ({ renderer: renderer(services) }));
const folder = await temporaryFolder();
const ann = await service.register("Ann");
const api = jsonClient(ann);
const { request } = await newFilm(ann, folder);
const { leases } = service.services;
const runs = renderTaskStore(service.db, { leases });
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

type RenderTasksOf = Renderer["renderTasks"];

/** An idle process. `helping` is called for each help. */
function idleProcess(renderTasks: RenderTasksOf, store: RenderTaskStore = renderTaskStore(service.db, { leases })) {
  const errors: unknown[] = [];
  const ports = { ...service.services, renderer: { renderTasks }, runs: store };
  const helper = helpOtherExports(ports, { logError: (error) => errors.push(error), pollEveryMs: 1 });
  helpers.push(helper);
  return { helper, errors };
}

/** Claims a run and renders until it is aborted. Resolves with the options at the first help. */
function endlessRendering() {
  const begun = Promise.withResolvers<Parameters<RenderTasksOf>>();
  const ended = Promise.withResolvers<void>();
  let count = 0;
  const renderTasks: RenderTasksOf = async (timelines, options) => {
    count++;
    await options.sharedTasks.claim();
    begun.resolve([timelines, options]);
    while (!options.signal.aborted) await nextTurn();
    ended.resolve();
    options.signal.throwIfAborted();
  };
  return { renderTasks, begun: begun.promise, ended: ended.promise, times: () => count };
}

test("an idle process renders for the export of another until it ends", async () => {
  const { id, finish } = await sharedExport();
  const rendering = endlessRendering();
  const { errors } = idleProcess(rendering.renderTasks);

  const [[timeline], options] = await rendering.begun;

  expect(timeline?.track.frames).toBe(30);
  expect(options).toMatchObject({ owner: ann.user.id, projectId: request.projectId, quality: "standard" });
  await finish();
  await rendering.ended;
  expect((await api("GET", `/api/exports/${id}`)).body.status).toBe("done");
  expect(errors).toEqual([]);
});

test("the help ends with the export, and gives its runs back", async () => {
  const { id, shared } = await sharedExport();
  const rendering = endlessRendering();
  const { helper, errors } = idleProcess(rendering.renderTasks);
  await rendering.begun;

  await service.services.exports.cancel(id, Date.now());
  await rendering.ended;
  await helper.stop();

  expect((await shared.claim())?.number).toBe(0);
  expect(errors).toEqual([]);
});

test("an own export ends the help, and none begins before that export has ended", async () => {
  const { shared, finish } = await sharedExport();
  const rendering = endlessRendering();
  const { helper } = idleProcess(rendering.renderTasks);
  await rendering.begun;

  await helper.during(async () => {
    await rendering.ended;
    // it may look a few times in these
    for (let query = 0; query < 20; query++) await runs.findOpen();
    expect(rendering.times()).toBe(1);
  });
  while (rendering.times() === 1) await runs.findOpen();

  await helper.stop();
  expect((await shared.claim())?.number).toBe(0);
  await finish();
});

test("an export that this process cannot help is left alone, and reported once", async () => {
  const { finish } = await sharedExport();
  let looks = 0;
  const store = renderTaskStore(service.db, { leases });
  const counted: RenderTaskStore = {
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

test("while the database is away, nothing is reported, and the help goes on later", async () => {
  const { finish } = await sharedExport();
  const rendering = endlessRendering();
  let calls = 0;
  const { errors } = idleProcess((timelines, options) => {
    calls++;
    if (calls < 3) throw new DomainError("unavailable", {});
    return rendering.renderTasks(timelines, options);
  });

  await rendering.begun;

  expect(errors).toEqual([]);
  await finish();
});
