import { afterAll, expect, test } from "bun:test";
import { eq, sql } from "drizzle-orm";
import type { Allowance } from "../../src/domain/accounts/rate-limit.ts";
import type { ExportState } from "../../src/domain/exports/lifecycle/jobs.ts";
import { claimRequest } from "../../src/domain/idempotency/idempotency.ts";
import { newId } from "../../src/domain/shared/ids.ts";
import { concurrencyLimit } from "../../src/platform/limits/concurrency-limit.ts";
import { assetStore } from "../../src/storage/assets/store.ts";
import { type Database, type DatabaseHandle, openDatabase } from "../../src/storage/database/database.ts";
import { keyOf, rateLimiter } from "../../src/storage/database/rate-limiter.ts";
import { requestLimiter } from "../../src/storage/database/request-limiter.ts";
import { readStorageUsage } from "../../src/storage/database/storage-usage.ts";
import type { ExportLimits } from "../../src/storage/exports/admission.ts";
import { exportStore } from "../../src/storage/exports/store.ts";
import { idempotencyStore } from "../../src/storage/idempotency/store.ts";
import { leaseStore } from "../../src/storage/leases/store.ts";
import { projectStore } from "../../src/storage/projects/store.ts";
import { jobQueues } from "../../src/storage/queue/job-queue.ts";
import { queueRules } from "../../src/storage/queue/rules.ts";
import { rateLimits } from "../../src/storage/tables/accounts.ts";
import { exportJobs } from "../../src/storage/tables/exports.ts";
import { workMediaStore } from "../../src/storage/works/media-store.ts";
import { preparedServerDatabase, serverUrl } from "../support/database.ts";
import { summedStorage } from "../support/summed-storage.ts";
import { addProject, addUser, addWork, aFile, anAsset, aProject, codeOf, queuedExport } from "./samples.ts";

// What holds within one process by itself: each handle has connections of its own, as a process has.

const server = serverUrl ? await preparedServerDatabase(serverUrl) : undefined;
const open = () => openDatabase({ databaseUrl: server!.databaseUrl, dataDir: "unused" });
const handles: readonly DatabaseHandle[] = server ? await Promise.all([open(), open()]) : [];
const one = handles[0]!; // safe because no test runs without a server
afterAll(async () => {
  await Promise.all(handles.map((handle) => handle.close()));
  await server?.drop();
});

const onServer = test.if(!!serverUrl);

/** Of each process five: fewer than its connections, for which a call waits three seconds at most. */
const atOnce = concurrencyLimit({ concurrency: 10 });

/** Calls at once, those of each process in turn. Returns how often each outcome came. */
async function outcomesOf<Process>(
  processes: readonly Process[],
  count: number,
  call: (by: Process) => Promise<unknown>,
) {
  const outcomes = await Promise.all(
    Array.from({ length: count }, (_, index) => codeOf(atOnce(() => call(processes[index % processes.length]!)))),
  );
  return Object.fromEntries([...Map.groupBy(outcomes, String)].map(([outcome, all]) => [outcome, all.length]));
}

const noWebhooks = {
  ready: async () => {},
  register: async () => {},
  enqueueEnd: async (_: unknown, job: ExportState) => [job],
  enqueueCancelled: async () => [],
  reportEnds: () => {},
};
const noQueues = { ready: async () => {}, send: async () => {} };

const exportStores = (limits: ExportLimits = {}) =>
  handles.map(({ db }) => exportStore(db, noQueues, noWebhooks, limits));

onServer("the limits of logins are exact", async () => {
  const limiters = handles.map(({ db }) => rateLimiter(db));
  const allowance: Allowance = { key: crypto.randomUUID(), points: 30, seconds: 60 };

  expect(await outcomesOf(limiters, 80, (limiter) => limiter.take([allowance]))).toEqual({
    resolved: 30,
    rate_limited: 50,
  });
});

onServer("a user exceeds the limit of requests by no more than one settlement", async () => {
  const limiters = handles.map(({ db }) => requestLimiter(db, { settleEveryMs: 1 }));
  const allowance: Allowance = { key: crypto.randomUUID(), points: 100, seconds: 60 };
  const settled = async () => {
    const [row] = await one.db
      .select()
      .from(rateLimits)
      .where(eq(rateLimits.key, keyOf(allowance)));
    return row?.points ?? 0;
  };
  const take = (limiter: (typeof limiters)[number]) => codeOf(Promise.try(() => limiter.take(allowance)));

  let taken = 0;
  let refused = 0;
  while (refused < limiters.length) {
    const outcomes = await Promise.all(limiters.map(take));
    refused = outcomes.filter((outcome) => outcome === "rate_limited").length;
    taken += outcomes.length - refused;
    while ((await settled()) < taken);
  }

  // each process alone would give all of them
  expect(taken).toBeWithin(100, 110);
});

onServer("one of many requests with an idempotency key runs", async () => {
  const { id: userId } = await addUser(one.db);
  const stores = handles.map(({ db }) => ({ idempotencyKeys: idempotencyStore(db), leases: leaseStore(db) }));
  const request = { userId, key: "a key", fingerprint: "of the request" };
  const { signal } = new AbortController();

  const outcomes = await outcomesOf(stores, 20, (ports) => claimRequest(ports, request, signal));

  expect(outcomes).toEqual({ resolved: 1, request_in_progress: 19 });
});

onServer("a user gets no more than twenty waiting exports", async () => {
  const { id: projectId, userId } = await addProject(one.db);
  const add = (store: ReturnType<typeof exportStores>[number]) => store.add(queuedExport({ userId, projectId }));

  expect(await outcomesOf(exportStores(), 40, add)).toEqual({ resolved: 20, limit_reached: 20 });
  expect(await one.db.$count(exportJobs, eq(exportJobs.userId, userId))).toBe(20);
});

onServer("a user gets no more than the exports of a day", async () => {
  const { id: projectId, userId } = await addProject(one.db);
  const add = (store: ReturnType<typeof exportStores>[number]) => store.add(queuedExport({ userId, projectId }));

  expect(await outcomesOf(exportStores({ maxExportsPerDay: 7 }), 19, add)).toEqual({ resolved: 7, rate_limited: 12 });
});

onServer("an export is acquired anew by each worker, and only the last attempt may end it", async () => {
  const { id: projectId, userId } = await addProject(one.db);
  const [first, second] = exportStores();
  const job = queuedExport({ userId, projectId });
  await first!.add(job);
  const attempts = await Promise.all([first!.acquire(job.id, 1), second!.acquire(job.id, 1)]);
  const last = Math.max(...attempts.map((acquired) => acquired!.attempt));

  const end = (attempt: number) => first!.end({ exportId: job.id, attempt }, { status: "done", files: [] }, 2);
  expect([await end(last - 1), await end(last)]).toEqual([false, true]);
});

onServer("no more than two jobs of a user run at once", async () => {
  const rules = { ...queueRules, exports: { ...queueRules.exports, pollingSeconds: 0.5, yieldMs: 0 } };
  const queues = handles.map(({ db, queueConnection }) =>
    jobQueues(queueConnection, rules, { leases: leaseStore(db) }),
  );
  const group = newId("user");
  const count = 12;
  const [twoRun, done] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let [running, most, ended] = [0, 0, 0];
  for (const queue of queues) {
    queue.registerHandler("exports", async () => {
      most = Math.max(most, ++running);
      if (running === 2) twoRun.resolve();
      await twoRun.promise;
      // long enough for the other process to look for a job meanwhile
      for (let query = 0; query < 20; query++) await one.ping();
      running--;
      if (++ended === count) done.resolve();
    });
  }
  await Promise.all(queues.map((queue) => queue.ready()));
  await one.db.transaction(async (transaction) => {
    for (let job = 0; job < count; job++) await queues[0]!.send("exports", transaction, `${job}`, { group });
  });
  await done.promise;

  expect(most).toBe(2);
  await Promise.all(queues.map((queue) => queue.stop()));
  await one.db.execute(sql`delete from pgboss.job`);
});

onServer("uploads, copies and removals of a user at once neither deadlock nor lose a byte", async () => {
  const user = await addUser(one.db);
  const [kept, removed] = [await projectOf(user.id), await projectOf(user.id)];
  const works = [await addWork(one.db, kept.id), await addWork(one.db, removed.id)];
  const fileIn = (folder: string, number: number) =>
    aFile(`${folder}/${newId("media")}.png`, { sizeBytes: 100, sha256: `hash ${number % 4}` });
  const calls = Array.from({ length: 60 }, (_, number) =>
    handles.map(({ db }) => async () => {
      const limit = { userId: user.id, maxBytes: 1e9 };
      const work = works[number % 2]!;
      const file = fileIn(work.projectId, number);
      const media = { slot: `scene/${number % 5}/image` as const, file, createdAt: 1, origin: { inputHash: "h" } };
      if (number % 3 === 0)
        return await assetStore(db).add(anAsset(work.projectId, { file }), number % 2 ? limit : undefined);
      if (number % 3 === 1) return await workMediaStore(db).put(work.projectId, work.id, media, (found) => found);
      if (number === 50) return await projectStore(db).remove(user.id, removed.id, () => {});
      return await workMediaStore(db, { maxUserBytes: 1e9 }).changeWork(work.projectId, work.id, (found) => ({
        ...found,
        productDescription: "x".repeat(number * 1_000),
      }));
    }),
  ).flat();

  // as many at a time as there are connections: who waits long for one is answered `unavailable`
  const outcomes: unknown[] = [];
  for (let next = 0; next < calls.length; next += 10) {
    const together = calls.slice(next, next + 10);
    outcomes.push(...(await Promise.all(together.map((call) => codeOf(atOnce(call))))));
  }
  expect(outcomes).toEqual(calls.map(() => "resolved"));
  const stored = await readStorageUsage(one.db, user.id);
  expect(stored).toEqual(await summedStorage(one.db, user.id));
  expect(stored.assets.files).toBeGreaterThan(10);
});

onServer("an upload waits for no upload of another user", async () => {
  const [ann, bob] = [await addProject(one.db), await addProject(one.db)];
  const add = (db: Database, { id: projectId, userId }: typeof ann) =>
    assetStore(db).add(anAsset(projectId), { userId, maxBytes: 1e9 });
  await one.db.transaction(async (transaction) => {
    await add(transaction, ann);
    await add(handles[1]!.db, bob);
  });

  for (const { userId } of [ann, bob]) expect((await readStorageUsage(one.db, userId)).assets.files).toBe(1);
});

const projectOf = async (userId: string) => await projectStore(one.db).add(aProject(userId));
