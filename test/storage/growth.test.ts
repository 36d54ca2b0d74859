import { afterAll, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import type { Database } from "../../src/storage/database/database.ts";
import { exportJobs } from "../../src/storage/database/tables/exports.ts";
import { works } from "../../src/storage/database/tables/projects.ts";
import { admitExport } from "../../src/storage/exports/admission.ts";
import { readHistory } from "../../src/storage/exports/history.ts";
import { workStore } from "../../src/storage/stores/works.ts";
import { freshDatabase } from "../helpers/database.ts";
import { addProject, addWork, queuedExport } from "./samples.ts";

const { db, close } = await freshDatabase();
afterAll(close);

const rows = 3_000;

/** The tables of which `run` reads every row. */
async function scannedBy(run: (transaction: Database) => Promise<unknown>): Promise<readonly string[]> {
  await db.execute(sql`analyze`);
  return await db.transaction(async (transaction) => {
    const scanned = async () => {
      const found = await transaction.execute(sql`
        select relname as name, pg_stat_get_xact_tuples_returned(oid)::int as read
        from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`);
      return (found as unknown as { rows: { name: string; read: number }[] }).rows;
    };
    const before = new Map((await scanned()).map(({ name, read }) => [name, read]));
    await run(transaction);
    return (await scanned()).flatMap(({ name, read }) => (read - (before.get(name) ?? 0) >= rows ? [name] : []));
  });
}

/** Copies of the only row of a table. */
const copyRow = (table: string) =>
  db.execute(sql`
    insert into ${sql.identifier(table)}
    select (jsonb_populate_record(t, jsonb_build_object('id', t.id || number))).*
    from ${sql.identifier(table)} t, generate_series(1, ${rows}) number`);

test("neither an estimate nor a full queue reads all ended exports", async () => {
  const project = await addProject(db);
  const options = { width: 100, height: 50, quality: "high" } as const;
  const { files: _, ...job } = queuedExport({ userId: project.userId, projectId: project.id });
  const ended = { status: "done", framesRendered: 30, startedAt: 0, finishedAt: 1_500, options } as const;
  await db.insert(exportJobs).values({ ...job, ...ended });
  await copyRow("export_jobs");
  const { userId: other } = await addProject(db);

  const queries = {
    "of the user": (transaction: Database) => readHistory(transaction, project.userId, "high"),
    "of a new user": (transaction: Database) => readHistory(transaction, other, "high"),
    "of another quality": (transaction: Database) => readHistory(transaction, other, "draft"),
    admission: (transaction: Database) => admitExport(transaction, other),
  };
  for (const [name, query] of Object.entries(queries)) expect([name, await scannedBy(query)]).toEqual([name, []]);

  expect((await readHistory(db, other, "high")).millisecondsPerPixel).toBe(1_500 / (30 * 5_000));
  expect((await readHistory(db, other, "draft")).millisecondsPerPixel).toBeUndefined();
});

test("works that generate are found without reading the others", async () => {
  const project = await addProject(db);
  await addWork(db, project.id);
  await copyRow("works");
  // the first one is full
  const another = await addProject(db);
  const generating = await addWork(db, another.id, {
    generatedScenes: [{ sceneIndex: 0, status: "generating_image" }],
  });

  const find = (transaction: Database) => workStore(transaction).findGenerating(Date.now());
  expect(await scannedBy(find)).toEqual([]);
  expect(await find(db)).toEqual([{ projectId: another.id, id: generating.id }]);
  await db.delete(works);
});
