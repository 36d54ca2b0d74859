import { afterAll, expect, test } from "bun:test";
import { eq, sql } from "drizzle-orm";
import { newId } from "../../../src/domain/shared/ids.ts";
import { userStore } from "../../../src/storage/accounts/users.ts";
import { admitExport } from "../../../src/storage/exports/admission.ts";
import { users } from "../../../src/storage/tables/accounts.ts";
import { exportJobs } from "../../../src/storage/tables/exports.ts";
import { freshDatabase } from "../../support/database.ts";
import { addProject, aUser, codeOf, queuedExport, withoutTriggers } from "../samples.ts";

const { db, seeding, close } = await freshDatabase();
afterAll(close);

type Row = typeof exportJobs.$inferInsert;

async function addExports(count: number, changes: Partial<Row> = {}): Promise<string> {
  const { id: projectId, userId } = await addProject(db);
  const row = (): Row => {
    const { files: _, ...job } = queuedExport({ userId, projectId });
    return { ...job, ...changes };
  };
  if (count > 0) await db.insert(exportJobs).values(Array.from({ length: count }, row));
  return userId;
}

/** Adds copies of one row until there are so many. */
async function fillTo(count: number) {
  const there = await db.$count(exportJobs);
  await withoutTriggers(
    seeding,
    sql`insert into export_jobs
      select (jsonb_populate_record(e, jsonb_build_object('id', 'exp_' || number))).*
      from export_jobs e, generate_series(${there + 1}::int, ${count}::int) number
      where e.id = (select min(id) from export_jobs)`,
  );
}
const removeAll = () => withoutTriggers(seeding, sql`delete from export_jobs`);

test("twenty waiting exports are the bound of one user", async () => {
  const ann = await addExports(19);
  expect(await admitExport(db, ann)).toBe(19);
  const bob = await addExports(20);
  await expect(admitExport(db, bob)).rejects.toMatchObject({
    code: "limit_reached",
    facts: { quota: { limit: "waiting_exports", used: 20, allowed: 20 }, retryAfterSeconds: 30 },
  });
  const eve = await addExports(2, { status: "rendering" });
  expect(await admitExport(db, eve)).toBe(2);
  await db.delete(exportJobs);
});

test("the retry delay of a user whose queue is full is that of an own export", async () => {
  // ten frames a second
  await addExports(1, { status: "done", frames: 100, framesRendered: 100, startedAt: 0, finishedAt: 10_000 });
  await addExports(1, { status: "rendering", frames: 1 });
  const ann = await addExports(20);
  const [own] = await db.select().from(exportJobs).limit(1).offset(2);
  await db.insert(exportJobs).values({ ...own!, id: newId("exp"), status: "rendering", frames: 200, framesDone: 50 });
  await expect(admitExport(db, ann)).rejects.toMatchObject({ facts: { retryAfterSeconds: 15 } });
  await db.delete(exportJobs);
});

test("the last places of a queue are for clients who have few exports there", async () => {
  await removeAll();
  const store = userStore(db, (network) => `mark of ${network}`);
  const register = async (network?: string) => (await store.add({ ...aUser(), ...(network && { network }) }))!.id;
  const crowd = await addExports(1);
  await db.update(users).set({ registeredFrom: "mark of a" }).where(eq(users.id, crowd));
  await fillTo(1499);
  const neighbour = await register("a");
  expect(await admitExport(db, neighbour)).toBe(0);
  const unknown = await addExports(1);

  await expect(admitExport(db, neighbour)).rejects.toMatchObject({ code: "busy", facts: { retryAfterSeconds: 30 } });
  expect(await admitExport(db, await register("b"))).toBe(0);
  expect(await admitExport(db, unknown)).toBe(1);
  expect(await admitExport(db, await register())).toBe(0);
});

test("two thousand waiting exports are the bound of all users", async () => {
  await addExports(1);
  await fillTo(2000);
  const ann = await addExports(0);
  await expect(admitExport(db, ann)).rejects.toMatchObject({ code: "busy" });
  await removeAll();
});

test("a user's exports of a day are limited, and one that is not added takes no place", async () => {
  const { userId: ann } = await addProject(db);
  const { userId: bob } = await addProject(db);
  const admit = (user: string, fails = false) =>
    codeOf(
      db.transaction(async (transaction) => {
        await admitExport(transaction, user, { maxExportsPerDay: 2 });
        if (fails) throw new Error("not added");
      }),
    );

  expect([await admit(ann, true), await admit(ann, true), await admit(ann)]).toEqual([
    "not added",
    "not added",
    "resolved",
  ]);
  const together = await Promise.all([admit(ann), admit(ann), admit(ann)]);

  expect(together.toSorted()).toEqual(["rate_limited", "rate_limited", "resolved"]);
  expect(await admit(bob)).toBe("resolved");
  await expect(admitExport(db, ann, { maxExportsPerDay: 2 })).rejects.toMatchObject({
    message: expect.stringMatching(/^You may request 2 exports a day\. Try again in 86\d{3} seconds\.$/),
    facts: { quota: { limit: "exports_per_day", used: 2, allowed: 2 } },
  });
});
