import { afterAll, expect, test } from "bun:test";
import { eq, sql } from "drizzle-orm";
import type { JobLease } from "../../../src/domain/exports/jobs.ts";
import { exportJobs, exportRuns } from "../../../src/storage/database/tables/exports.ts";
import { runStore } from "../../../src/storage/exports/runs.ts";
import { freshDatabase } from "../../helpers/database.ts";
import { addProject, queuedExport } from "../samples.ts";

const { db, close } = await freshDatabase();
afterAll(close);

const [owner, helper] = [runStore(db), runStore(db)];

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

const expireClaims = (lease: JobLease) =>
  db.update(exportRuns).set({ leasedUntil: sql`1` }).where(eq(exportRuns.exportId, lease.exportId));

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

test("a claim of a process that died can be taken, and one that is renewed or finished cannot", async () => {
  const { lease, own, others } = await offered(3);
  const [renewed, finished] = [await own.claim(), await own.claim()];
  await own.finish(finished!.number);
  await others.claim();

  await expireClaims(lease);
  await own.renew();

  expect((await own.claim())?.number).toBe(2);
  expect([renewed?.number, await own.claim()]).toEqual([0, undefined]);
});

test("a process hears which runs others have finished, and not of its own", async () => {
  const { own, others } = await offered(3);
  for (const each of [own, others]) await each.finish((await each.claim())!.number);

  expect([await own.renew(), await others.renew()]).toEqual([[1], [0]]);
});

test("released runs can be claimed at once, finished ones stay finished", async () => {
  const { own, others } = await offered(2);
  await others.finish((await others.claim())!.number);
  await others.claim();

  await others.release();

  expect((await own.claim())?.number).toBe(1);
  expect(await own.renew()).toEqual([0]);
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
