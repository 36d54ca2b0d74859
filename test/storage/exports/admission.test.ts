import { afterAll, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { newId } from "../../../src/domain/shared/ids.ts";
import { exportJobs } from "../../../src/storage/database/tables/exports.ts";
import { requireQueueCapacity } from "../../../src/storage/exports/admission.ts";
import { freshDatabase } from "../../helpers/database.ts";
import { addProject, queuedExport } from "../samples.ts";

const { db, close } = await freshDatabase();
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

test("a hundred waiting exports are the bound of one user", async () => {
  const ann = await addExports(99);
  expect(await requireQueueCapacity(db, ann)).toBe(99);
  const bob = await addExports(100);
  await expect(requireQueueCapacity(db, bob)).rejects.toMatchObject({ code: "busy", facts: { retryAfterSeconds: 30 } });
  const eve = await addExports(2, { status: "rendering" });
  expect(await requireQueueCapacity(db, eve)).toBe(2);
  await db.delete(exportJobs);
});

test("the retry delay of a user whose queue is full is that of an own export", async () => {
  // ten frames a second
  await addExports(1, { status: "done", frames: 100, framesRendered: 100, startedAt: 0, finishedAt: 10_000 });
  await addExports(1, { status: "rendering", frames: 1 });
  const ann = await addExports(100);
  const [own] = await db.select().from(exportJobs).limit(1).offset(2);
  await db.insert(exportJobs).values({ ...own!, id: newId("exp"), status: "rendering", frames: 200, framesDone: 50 });
  await expect(requireQueueCapacity(db, ann)).rejects.toMatchObject({ facts: { retryAfterSeconds: 15 } });
  await db.delete(exportJobs);
});

test("two thousand waiting exports are the bound of all users", async () => {
  await addExports(1);
  await db.execute(sql`
    insert into export_jobs
    select (jsonb_populate_record(e, jsonb_build_object('id', 'exp_' || number))).*
    from export_jobs e, generate_series(2, 2000) number`);
  const ann = await addExports(0);
  await expect(requireQueueCapacity(db, ann)).rejects.toMatchObject({ code: "busy" });
});
