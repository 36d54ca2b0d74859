import { afterAll, expect, test } from "bun:test";
import type { ExportWorker } from "../../../src/domain/exports/lifecycle/retry.ts";
import { runExportJob } from "../../../src/domain/exports/lifecycle/run.ts";
import { DomainError } from "../../../src/errors.ts";
import { RetryAfterError } from "../../../src/platform/async.ts";
import { exportJobs } from "../../../src/storage/tables/exports.ts";
import { completeRequest, queuedExport } from "../../storage/samples.ts";
import { controlledRenderer } from "../../support/media/controlled-renderer.ts";
import { testService } from "../../support/service.ts";
import { newPictureFilm } from "../../support/work-videos.ts";

const { renderer, next: nextRendering } = controlledRenderer();
const service = await testService({}, undefined, (services) => ({ renderer: renderer(services) }));
const ann = await service.register("Ann");
const { request } = await newPictureFilm(ann);
const { exports } = service.services;

afterAll(() => service.close());

/** An export that is in no queue, so that only the test runs it. */
async function addExport(changes: Parameters<typeof queuedExport>[1] = {}): Promise<string> {
  const { projectId, workId } = request;
  const job = queuedExport(
    { userId: ann.user.id, projectId },
    { workId, scopes: ["works:read", "projects:read"], request: completeRequest(request), createdAt: Date.now() },
  );
  const { files: _, ...row } = { ...job, ...changes };
  await service.db.insert(exportJobs).values(row);
  return row.id;
}

const stateOf = async (id: string) => (await exports.findState(ann.user.id, id))!;
const aWorker = (fields: Partial<ExportWorker> = {}): ExportWorker => ({
  id: crypto.randomUUID(),
  isAlone: false,
  awaited: new Set(),
  calmMs: 1,
  ...fields,
});
type Ports = Parameters<typeof runExportJob>[0];

/** One attempt, as the queue begins it. Resolves with what it throws. */
function attempt(
  id: string,
  exportWorker = aWorker(),
  more: Partial<Ports> = {},
  signal = new AbortController().signal,
) {
  const logged: unknown[] = [];
  const running = runExportJob({ ...service.services, exportWorker, ...more }, id, signal, (error) =>
    logged.push(error),
  );
  const thrown = running.then(
    () => undefined,
    (error: unknown) => error,
  );
  return { thrown, logged };
}

async function failedAttempt(id: string, error: unknown, exportWorker = aWorker()) {
  const rendering = nextRendering();
  const { thrown, logged } = attempt(id, exportWorker);
  (await rendering).fail(error);
  return { thrown: await thrown, logged };
}

async function finishedAttempt(id: string, exportWorker = aWorker()) {
  const rendering = nextRendering();
  const { thrown } = attempt(id, exportWorker);
  await (await rendering).finish();
  return await thrown;
}

const unreadable = () => new DomainError("source_unreadable", { path: "clips", what: "The export's video" });
const diskFull = () => new DomainError("storage_full", {});

test.each([
  ["source_unreadable", unreadable()],
  ["storage_full", diskFull()],
  ["internal", new Error("ffmpeg crashed")],
])("an export that ends with %s is tried once more, by another worker", async (code, error) => {
  const id = await addExport();
  const [first, second] = [aWorker(), aWorker()];
  const { thrown, logged } = await failedAttempt(id, error, first);
  expect(thrown).toBeInstanceOf(RetryAfterError);
  expect(logged).toEqual([error]);
  // it is not rendered again where it failed
  expect(await attempt(id, first).thrown).toBeInstanceOf(RetryAfterError);
  expect(await stateOf(id)).toMatchObject({ status: "rendering", failedHolder: first.id });

  expect((await failedAttempt(id, error, second)).thrown).toBeUndefined();
  expect(await stateOf(id)).toMatchObject({ status: "error", failure: { code } });
});

test("what failed at one worker is done by another", async () => {
  const id = await addExport();
  await failedAttempt(id, unreadable());
  expect(await finishedAttempt(id)).toBeUndefined();
  expect((await stateOf(id)).status).toBe("done");
});

test("a worker that has failed tries again itself if nobody else has", async () => {
  const worker = aWorker();
  const id = await addExport({ failedHolder: worker.id, failedAt: Date.now() - 60_000 });
  expect((await failedAttempt(id, unreadable(), worker)).thrown).toBeUndefined();
  expect((await stateOf(id)).status).toBe("error");
});

test.each([
  ["of a worker that is alone", unreadable(), aWorker({ isAlone: true })],
  ["that no other worker would avoid", new DomainError("asset_missing", { path: "images", what: "x" }), aWorker()],
])("a failure %s ends the export at once", async (_, error, worker) => {
  const id = await addExport();
  expect((await failedAttempt(id, error, worker)).thrown).toBeUndefined();
  expect((await stateOf(id)).status).toBe("error");
});

test.each([
  ["an outage", new DomainError("unavailable", {})],
  ["a broken ffmpeg", new DomainError("busy", { retryAfterSeconds: 1 })],
  ["a lack of processes", new Error("spawn", { cause: Object.assign(new Error("EAGAIN"), { code: "EAGAIN" }) })],
])("%s ends no export, however often it is met, until a day has passed", async (_, error) => {
  const id = await addExport();
  const delays: number[] = [];
  for (let count = 0; count < 12; count++) {
    const { thrown } = await failedAttempt(id, error);
    delays.push((thrown as RetryAfterError).seconds);
    expect(await (thrown as RetryAfterError).isOver!()).toBe(true);
  }
  expect(delays).toEqual([2, 4, 8, 16, 32, 60, 60, 60, 60, 60, 60, 60]);
  expect(await stateOf(id)).toMatchObject({ status: "rendering", attempt: 12, endedAttempts: 12 });
  expect(await finishedAttempt(id)).toBeUndefined();

  const old = await addExport({ createdAt: Date.now() - 25 * 3_600_000 });
  await failedAttempt(old, error, aWorker({ isAlone: true }));
  expect((await stateOf(old)).status).toBe("error");
});

test("the end of an attempt that the database did not take is recorded before the worker goes on", async () => {
  const id = await addExport();
  let isAway = true;
  const unavailable = () => new DomainError("unavailable", {});
  const silent = {
    ...exports,
    endAttempt: async (...args: Parameters<typeof exports.endAttempt>) => {
      if (isAway) throw unavailable();
      await exports.endAttempt(...args);
    },
  };
  const rendering = nextRendering();
  const { thrown } = attempt(id, aWorker(), { exports: silent });
  (await rendering).fail(unavailable());
  const retry = (await thrown) as RetryAfterError;
  await expect(retry.isOver!()).rejects.toThrow();
  expect((await stateOf(id)).endedAttempts).toBe(0);
  isAway = false;
  expect(await retry.isOver!()).toBe(true);
  expect((await stateOf(id)).endedAttempts).toBe(1);
});

test("a worker goes on only when all parts work", async () => {
  const id = await addExport();
  const rendering = nextRendering();
  const { thrown } = attempt(id, aWorker(), { readiness: async () => ({ database: "ok", ffmpeg: "failing" }) });
  (await rendering).fail(new DomainError("busy", { retryAfterSeconds: 1 }));
  expect(await ((await thrown) as RetryAfterError).isOver!()).toBe(false);
});

test("a process that stops does not count as one that died", async () => {
  const id = await addExport();
  const stopping = new AbortController();
  const rendering = nextRendering();
  const { thrown } = attempt(id, aWorker(), {}, stopping.signal);
  await rendering;
  stopping.abort(new Error("The service stops."));
  expect(await thrown).toBe(stopping.signal.reason);
  expect(await stateOf(id)).toMatchObject({ status: "rendering", attempt: 1, endedAttempts: 1 });
});

/** Attempts whose processes are killed. */
async function kill(id: string, times: number) {
  for (let count = 0; count < times; count++) await exports.acquire(id, Date.now());
}

test("an export survives many killed workers, and waits between them without an attempt that could die", async () => {
  const id = await addExport();
  await kill(id, 20);
  const stopping = new AbortController();
  const ended = Promise.withResolvers<void>();
  const told: typeof exports = {
    ...exports,
    endAttempt: async (...args) => {
      await exports.endAttempt(...args);
      ended.resolve();
    },
  };
  const { thrown } = attempt(id, aWorker({ calmMs: 60_000 }), { exports: told }, stopping.signal);
  await ended.promise;
  stopping.abort();
  await thrown;
  expect(await stateOf(id)).toMatchObject({ attempt: 21, endedAttempts: 1 });

  expect(await finishedAttempt(id)).toBeUndefined();
  expect((await stateOf(id)).status).toBe("done");
});

test("an export that kills thirty workers ends", async () => {
  const id = await addExport();
  await kill(id, 30);
  const { thrown, logged } = attempt(id);
  expect(await thrown).toBeUndefined();
  expect(await stateOf(id)).toMatchObject({ status: "error", failure: { code: "internal" } });
  expect(logged).toEqual([new Error("30 processes died while they rendered the export.")]);
});

test("an attempt that has lost its export to another one is no death", async () => {
  const id = await addExport();
  const rendering = nextRendering();
  const { thrown } = attempt(id);
  await rendering;
  await exports.acquire(id, Date.now());
  expect(await thrown).toBeUndefined();
  expect(await stateOf(id)).toMatchObject({ attempt: 2, endedAttempts: 1 });
});
