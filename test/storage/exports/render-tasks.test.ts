import { afterAll, expect, test } from "bun:test";
import { and, eq, isNull, lte, or } from "drizzle-orm";
import type { JobLease } from "../../../src/domain/exports/lifecycle/jobs.ts";
import type { RenderTasks } from "../../../src/engine/ports.ts";
import { changeFeed } from "../../../src/storage/changes/feed.ts";
import { renderTaskStore } from "../../../src/storage/exports/render-tasks.ts";
import { leaseStore } from "../../../src/storage/leases/store.ts";
import { exportJobs, exportRuns } from "../../../src/storage/tables/exports.ts";
import { leases as leaseRows } from "../../../src/storage/tables/leases.ts";
import { freshDatabase } from "../../support/database.ts";
import { addProject, queuedExport } from "../samples.ts";

const { db, listen, close } = await freshDatabase();
afterAll(close);

const leases = leaseStore(db);
const changes = changeFeed(listen);
const [owner, helper] = [renderTaskStore(db, { leases, changes }), renderTaskStore(db, { leases, changes })];

/** An attempt of an export that a worker renders. */
async function newAttempt(): Promise<JobLease> {
  const { id: projectId, userId } = await addProject(db);
  const { files: _, ...job } = queuedExport({ userId, projectId }, { status: "rendering", attempt: 1 });
  await db.insert(exportJobs).values(job);
  return { exportId: job.id, attempt: 1 };
}

const runs = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ first: 2 * index, last: 2 * index + 1, content: `hash ${index}` }));

/** An attempt whose runs are offered, as its owner and as a helper see it. */
async function offered(count: number) {
  const lease = await newAttempt();
  const [own, others] = [owner.of(lease), helper.of(lease)];
  expect(await own.publish(runs(count))).toBe(true);
  return { lease, own, others };
}

/** What all others have finished so far. */
async function finishedByOthers(shared: RenderTasks): Promise<readonly number[] | undefined> {
  for await (const finished of shared.finishedByOthers(new AbortController().signal)) return finished;
}

const holdersOf = async ({ exportId }: JobLease) => {
  const rows = await db.select().from(exportRuns).where(eq(exportRuns.exportId, exportId)).orderBy(exportRuns.number);
  return rows.map(({ holderId }) => holderId ?? "");
};

test("each run is claimed once, in the order of the offer", async () => {
  const { own, others } = await offered(3);

  expect(await own.claim()).toEqual({ number: 0, first: 0, last: 1, content: "hash 0" });
  expect(await others.claim()).toEqual({ number: 1, first: 2, last: 3, content: "hash 1" });
  expect((await own.claim())?.number).toBe(2);
  expect([await own.claim(), await others.claim()]).toEqual([undefined, undefined]);
});

test("of many claims at once, no two get the same run", async () => {
  const { own, others } = await offered(20);

  const claimed = await Promise.all(Array.from({ length: 20 }, (_, index) => (index % 2 ? own : others).claim()));

  // a claim that comes while all free rows are locked finds none, and is repeated later
  const numbers = claimed.flatMap((run) => run?.number ?? []);
  expect(new Set(numbers).size).toBe(numbers.length);
  for (let more = await own.claim(); more; more = await own.claim()) numbers.push(more.number);
  expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => index));
});

test("a claim of a process that died can be taken, and one of a process that lives, or finished, cannot", async () => {
  const { lease, own, others } = await offered(3);
  const [claimed, finished] = [await own.claim(), await own.claim()];
  await own.finish(finished!.number);
  await others.claim();

  const [, , dead] = await holdersOf(lease);
  expect(await own.claim()).toBeUndefined();
  await db.delete(leaseRows).where(eq(leaseRows.name, dead!));

  expect((await own.claim())?.number).toBe(2);
  expect([claimed?.number, await own.claim()]).toEqual([0, undefined]);
});

test("a claim of the release before this one holds until the time in its row, which the holder renews", async () => {
  const { lease, own } = await offered(1);
  const claimBefore = (leasedUntil: number) =>
    db
      .update(exportRuns)
      .set({ holderId: crypto.randomUUID(), leasedUntil })
      .where(eq(exportRuns.exportId, lease.exportId));
  await claimBefore(Date.now() + 60_000);
  expect(await own.claim()).toBeUndefined();

  await claimBefore(Date.now());
  expect((await own.claim())?.number).toBe(0);
});

test("the release before this one leaves a claim alone for a minute, and takes what was given back", async () => {
  const freeForIt = () => db.$count(exportRuns, and(isOfLease, or(isNull(leasedUntil), lte(leasedUntil, soon))));
  const { leasedUntil } = exportRuns;
  const { lease, own } = await offered(1);
  const isOfLease = eq(exportRuns.exportId, lease.exportId);
  const soon = Date.now() + 50_000;
  await own.claim();
  expect(await freeForIt()).toBe(0);

  await own.release();
  expect(await freeForIt()).toBe(1);
});

test("a process hears which runs others have finished, and not of its own", async () => {
  const { own, others } = await offered(3);
  for (const each of [own, others]) await each.finish((await each.claim())!.number);

  expect([await finishedByOthers(own), await finishedByOthers(others)]).toEqual([[1], [0]]);
});

test("the owner of an attempt hears at once when another process finishes a run or gives it back", async () => {
  const { own, others } = await offered(2);
  await others.claim();
  await others.claim();
  const heard = own.finishedByOthers(AbortSignal.timeout(60_000))[Symbol.asyncIterator]();
  expect((await heard.next()).value).toEqual([]);

  await others.finish(0);
  expect((await heard.next()).value).toEqual([0]);
  await others.release();
  expect((await heard.next()).value).toEqual([0]);
  expect((await own.claim())?.number).toBe(1);
});

test("released runs can be claimed at once, finished ones stay finished", async () => {
  const { own, others } = await offered(2);
  await others.finish((await others.claim())!.number);
  await others.claim();

  await others.release();

  expect((await own.claim())?.number).toBe(1);
  expect(await finishedByOthers(own)).toEqual([0]);
});

test("a later attempt replaces the runs, and an attempt that lost its export can offer none", async () => {
  const { lease, own } = await offered(3);
  const next = { ...lease, attempt: 2 };
  await db.update(exportJobs).set({ attempt: 2 }).where(eq(exportJobs.id, lease.exportId));

  expect(await own.publish(runs(3))).toBe(false);
  expect(await owner.of(next).publish(runs(1))).toBe(true);

  expect(await own.claim()).toBeUndefined();
  expect((await helper.of(next).claim())?.number).toBe(0);
});

test("only attempts in progress are open, the one with the most unclaimed runs first", async () => {
  await db.delete(exportRuns);
  const [small, large, claimed, cancelled] = await Promise.all([2, 3, 1, 4].map(offered));
  await claimed!.own.claim();
  await db.update(exportJobs).set({ status: "cancelled" }).where(eq(exportJobs.id, cancelled!.lease.exportId));

  const open = (await helper.findOpen()).map(({ exportId }) => exportId);

  expect(open).toEqual([large!.lease.exportId, small!.lease.exportId]);
});

test("runs are removed with their export", async () => {
  const { lease } = await offered(2);
  await db.delete(exportJobs).where(eq(exportJobs.id, lease.exportId));
  expect(await db.$count(exportRuns, eq(exportRuns.exportId, lease.exportId))).toBe(0);
});
