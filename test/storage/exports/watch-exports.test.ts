import { afterAll, expect, test } from "bun:test";
import type { ExportJob, ExportState } from "../../../src/domain/exports/lifecycle/jobs.ts";
import { endEvent } from "../../../src/domain/exports/lifecycle/view.ts";
import { newId } from "../../../src/domain/shared/ids.ts";
import { internalUrls } from "../../../src/http/files/internal-urls.ts";
import { exportStates } from "../../../src/storage/changes/states.ts";
import { webhookOutbox } from "../../../src/storage/exports/outbox.ts";
import { exportStore } from "../../../src/storage/exports/store.ts";
import { freshDatabase } from "../../support/database.ts";
import { addProject, completeRequest, queuedExport } from "../samples.ts";

const database = await freshDatabase();
afterAll(() => database.close());

const queues = { ready: async () => {}, send: async () => {} };
const outbox = webhookOutbox(queues, (job) => endEvent(job, internalUrls("http://localhost")));
const exports = exportStore(database.db, queues, outbox);

async function addExport(): Promise<ExportJob> {
  const { id: projectId, userId } = await addProject(database.db);
  const options = { width: 64, height: 36, targets: ["1:1" as const] };
  const request = completeRequest({ projectId, workId: "work", options });
  const job = queuedExport({ userId, projectId }, { scopes: ["works:read"], request });
  await exports.add(job);
  return job;
}

test("a state has all of an export, but of its request only the options", async () => {
  const job = await addExport();
  const { request, ...rest } = job;
  expect(await exports.findState(job.userId, job.id)).toEqual({ ...rest, request: { options: request.options } });

  const acquired = (await exports.acquire(job.id, 2))!;
  expect(acquired.request).toEqual(request);
  const files = [{ target: "1:1" as const, key: "a/b.mp4", sizeBytes: 10 }];
  await exports.end({ exportId: job.id, attempt: acquired.attempt }, { status: "done", files }, 3);
  const ended = await exports.findState(job.userId, job.id);
  expect(ended).toMatchObject({ status: "done", files, request: { options: request.options } });
  expect(Object.keys(ended!.request)).toEqual(["options"]);
  expect(await exports.findState(newId("user"), job.id)).toBeUndefined();
});

/** Exports whose reads the test counts, and whose changes it announces. */
function watchedExports(first: ExportState) {
  const changes: (() => void)[] = [];
  const current = { reads: 0, subscriptions: 0, state: first as ExportState | undefined, error: undefined as unknown };
  const states = exportStates(
    {
      async findState() {
        current.reads++;
        if (current.error) throw current.error;
        return current.state;
      },
    },
    {
      async *subscribe(_, signal) {
        current.subscriptions++;
        signal.addEventListener("abort", () => changes.splice(0).forEach((next) => void next()), { once: true });
        try {
          while (!signal.aborted) {
            const { promise, resolve } = Promise.withResolvers<void>();
            changes.push(resolve);
            yield;
            await promise;
          }
        } finally {
          current.subscriptions--;
        }
      },
    },
  );
  const change = (changed: Partial<typeof current>) => {
    Object.assign(current, changed);
    for (const next of changes.splice(0)) next();
  };
  return { states, current, change };
}

const watchWith = (states: ReturnType<typeof exportStates>, job: ExportState, signal = new AbortController().signal) =>
  states.watch(job, signal, "all")[Symbol.asyncIterator]();

test("each change is read once for all that watch, and a late one gets the latest state without a read", async () => {
  const job = await addExport();
  const { states, current, change } = watchedExports(job);
  const watchers = [watchWith(states, job), watchWith(states, job)];
  for (const watcher of watchers) expect((await watcher.next()).value).toEqual(job);
  const later = watchers.map((watcher) => watcher.next());
  change({ state: { ...job, revision: 1 } });
  for (const next of later) expect((await next).value).toMatchObject({ revision: 1 });
  expect((await watchWith(states, job).next()).value).toMatchObject({ revision: 1 });
  expect([current.reads, current.subscriptions]).toEqual([2, 1]);

  change({ state: { ...job, revision: 2, status: "done" } });
  for (const watcher of watchers)
    expect(await Array.fromAsync({ [Symbol.asyncIterator]: () => watcher })).toHaveLength(1);
  expect([current.reads, current.subscriptions]).toEqual([3, 0]);
});

test("the subscription ends with the last watcher", async () => {
  const job = await addExport();
  const { states, current } = watchedExports(job);
  const clients = [new AbortController(), new AbortController()] as const;
  const watchers = clients.map(({ signal }) => watchWith(states, job, signal));
  for (const watcher of watchers) await watcher.next();
  for (const [index, client] of clients.entries()) {
    expect(current.subscriptions).toBe(1);
    client.abort();
    expect((await watchers[index]!.next()).done).toBe(true);
  }
  await Promise.resolve();
  expect(current.subscriptions).toBe(0);
  expect((await watchWith(states, job).next()).value).toEqual(job);
  expect(current.reads).toBe(2);
});

test("a failed read ends all that watch, and the next one reads again", async () => {
  const job = await addExport();
  const { states, change } = watchedExports(job);
  const watchers = [watchWith(states, job), watchWith(states, job)];
  for (const watcher of watchers) await watcher.next();
  const later = Promise.allSettled(watchers.map((watcher) => watcher.next()));
  const error = new Error("no database");
  change({ error });
  expect(await later).toEqual([
    { status: "rejected", reason: error },
    { status: "rejected", reason: error },
  ]);
  change({ error: undefined });
  expect((await watchWith(states, job).next()).value).toEqual(job);
});
