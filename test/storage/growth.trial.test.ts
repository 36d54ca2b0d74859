import { afterAll, expect, test } from "bun:test";
import { and, eq, gt, lte, sql } from "drizzle-orm";
import { newId } from "../../src/domain/shared/ids.ts";
import { assetStore } from "../../src/storage/assets/store.ts";
import { readCounts } from "../../src/storage/batches/store.ts";
import type { Database } from "../../src/storage/database/database.ts";
import { admitExport } from "../../src/storage/exports/admission.ts";
import { readHistory } from "../../src/storage/exports/history.ts";
import { filmStore } from "../../src/storage/films/store.ts";
import { leaseStore } from "../../src/storage/leases/store.ts";
import { projectStore } from "../../src/storage/projects/store.ts";
import { filmCounts } from "../../src/storage/queue/depths.ts";
import { removalStore } from "../../src/storage/removals/store.ts";
import { users } from "../../src/storage/tables/accounts.ts";
import { batchCounts, batches, batchItems, batchRows } from "../../src/storage/tables/batches.ts";
import { exportJobs } from "../../src/storage/tables/exports.ts";
import { filmKeys, filmSteps, films } from "../../src/storage/tables/films.ts";
import { leases } from "../../src/storage/tables/leases.ts";
import { upstreamCalls } from "../../src/storage/tables/ledger.ts";
import { projects, works } from "../../src/storage/tables/projects.ts";
import { workStore } from "../../src/storage/works/store.ts";
import { freshDatabase } from "../support/database.ts";
import { addAsset, addProject, addWork, queuedExport } from "./samples.ts";

const { db, seeding, close } = await freshDatabase();
afterAll(close);

const rows = 3_000;

// safe because no list uses them
const unused = [undefined as never, undefined as never] as const;

/** The tables of which `run` reads every row. */
async function scannedBy(run: (transaction: Database) => Promise<unknown>): Promise<readonly string[]> {
  return await db.transaction(async (transaction) => {
    const scanned = async () => {
      const found = await transaction.execute(sql`
        select relname as name, pg_stat_get_xact_tuples_returned(oid)::int as read
        from pg_class where relkind = 'r' and relnamespace in ('public'::regnamespace, 'pgboss'::regnamespace)`);
      return (found as unknown as { rows: { name: string; read: number }[] }).rows;
    };
    const before = new Map((await scanned()).map(({ name, read }) => [name, read]));
    await run(transaction);
    return (await scanned()).flatMap(({ name, read }) => (read - (before.get(name) ?? 0) >= rows ? [name] : []));
  });
}

/** Lets the planner know how many rows they have. */
const analyze = (...tables: string[]) => seeding.execute(sql.raw(`analyze ${tables.join()}`));

/** Copies of the only row of a table. */
async function copyRow(table: string) {
  await seeding.execute(sql`
    insert into ${sql.identifier(table)}
    select (jsonb_populate_record(t, jsonb_build_object('id', t.id || number))).*
    from ${sql.identifier(table)} t, generate_series(1, ${rows}) number`);
  await analyze(table);
}

test("what is asked of the films that have not ended reads no ended one", async () => {
  const { userId, id: projectId } = await addProject(db);
  const lists = { scopes: [], approved: [], warnings: [] };
  const order = { brief: {}, targets: [], models: {}, stopAt: [], allowUnpriced: false, onUnknown: "wait" } as const;
  const times = { attempt: 1, revision: 1, createdAt: 0, updatedAt: 0 };
  const film = { id: newId("film"), userId, projectId, workId: "work", name: "Film", ...lists, order, ...times };
  const step = { id: "scene-0-video", place: 0, kind: "video", status: "running" } as const;
  const work = { dependsOn: [], attempts: [], checkpoints: {} };
  await db.insert(films).values({ ...film, status: "done" });
  await db.insert(filmSteps).values({ ...step, ...work, filmId: film.id });
  await copyRow("films");
  await seeding.execute(sql`insert into film_steps select (jsonb_populate_record(s, jsonb_build_object('film_id', f.id))).*
    from film_steps s, films f where f.id <> s.film_id`);
  await analyze("film_steps");
  const waiting = { ...film, id: newId("film"), status: "waiting", waitingFor: "key" } as const;
  await db.insert(films).values(waiting);
  await db.insert(filmSteps).values({ ...step, ...work, filmId: waiting.id });
  await db.insert(filmKeys).values({ filmId: waiting.id, category: "video", sealed: "sealed" });

  expect(await filmCounts(db)()).toEqual([{ status: "waiting", waitingFor: "key", count: 1 }]);
  expect(await scannedBy((transaction) => filmCounts(transaction)())).toEqual([]);
  const listed = (transaction: Database) => filmStore(transaction, ...unused).listWithVideoKey({ projectId });
  expect(await listed(db)).toMatchObject([{ id: waiting.id, steps: [{ id: "scene-0-video" }] }]);
  expect(await scannedBy(listed)).toEqual([]);
  await analyze("film_keys");
  const removed = (transaction: Database) => projectStore(transaction).remove(userId, projectId, () => {});
  expect(await scannedBy(removed)).toEqual([]);
  await seeding.delete(films);
});

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

test("expired leases of scenes are found without reading the others", async () => {
  await db.insert(leases).values({ name: "scene work_1/0", holderId: "h", leasedUntil: 1 });
  await db.insert(leases).values({ name: "scene work_1/1", holderId: "h", leasedUntil: 4_000_000_000_000 });
  for (const prefix of ["request", "scend", "scenf", "zebra"]) {
    await seeding.execute(sql`
      insert into leases (name, holder_id, leased_until)
      select ${prefix} || ' ' || number, 'h', 1 from generate_series(1, ${rows}) number`);
  }
  await analyze("leases");
  const find = (transaction: Database) => leaseStore(transaction).listExpired("scene ");

  expect(await scannedBy(find)).toEqual([]);
  expect(await find(db)).toEqual(["scene work_1/0"]);
  await seeding.delete(leases);
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
  await seeding.delete(works);
});

test("the queued jobs of a removed account are removed without reading the others", async () => {
  const { userId } = await addProject(db);
  const passwordHash = "removed";
  await db.update(users).set({ passwordHash }).where(eq(users.id, userId));
  await seeding.execute(sql`
    insert into pgboss.job (name, group_id) select 'exports', 'user_' || number from generate_series(1, ${rows}) number`);
  await db.execute(sql`insert into pgboss.job (name, group_id) values ('exports', ${userId})`);
  await analyze("pgboss.job");
  const removals = (transaction: Database) => removalStore(transaction, { ready: async () => {} });
  await removals(db).removeUser(userId, passwordHash);

  const remove = async (transaction: Database) => {
    while ((await removals(transaction).removeBatch()) !== undefined);
  };
  expect(await scannedBy(remove)).toEqual([]);
  expect(await db.$count(sql`pgboss.job`)).toBe(rows);
});

/** A table of films that are made. Returns its id. */
async function addTable(userId: string, projectId: string, count: number): Promise<string> {
  const batchId = newId("batch");
  await seeding.execute(sql`
    insert into batches (id, user_id, project_id, name, scopes, "order", rows, table_bytes, checked, seconds, status,
      approved, attempt, revision, created_at, updated_at)
    values (${batchId}, ${userId}, ${projectId}, 'B', '[]', '{}', ${count}, 0, ${count}, 1, 'done', '[]', 1, 1, 1, 1)`);
  await seeding.execute(sql`
    insert into batch_rows (batch_id, row, key, cells) select ${batchId}, n, n, '{}' from generate_series(1, ${count}::int) n`);
  await seeding.execute(sql`
    insert into batch_items (id, batch_id, project_id, place, row, key, language, target, file_name, status, values,
      text_length, frames, is_preview, warnings, errors, approval)
    select 'item_' || n, ${batchId}, ${projectId}, n, n, n, '', '9:16', n, 'done', '{}', 1, 1, false, '[]', '[]', 'none'
    from generate_series(1, ${count}::int) n`);
  await analyze("batches", "batch_rows", "batch_items");
  return batchId;
}

test("the films of a removed table go in batches", async () => {
  const { userId, id: projectId } = await addProject(db);
  await addTable(userId, projectId, 30);
  await db.update(projects).set({ userId: null }).where(eq(projects.id, projectId));

  const removals = removalStore(db, { ready: async () => {} });
  const left = async () => [await db.$count(batchItems), await db.$count(batchRows), await db.$count(batches)];
  const steps: number[][] = [];
  while ((await removals.removeBatch(20)) === "more") steps.push(await left());
  expect(steps).toEqual([
    [10, 30, 1],
    [0, 10, 1],
  ]);
  expect(await left()).toEqual([0, 0, 0]);
});

test("the calls of a removed project lose its name without reading those of others", async () => {
  const { userId, id: projectId } = await addProject(db);
  const addCalls = (prefix: string, project: string | null) =>
    seeding.execute(sql`
      insert into upstream_calls (id, user_id, project_id, provider, model, purpose, milliseconds, outcome, created_at)
      select ${prefix} || n, ${userId}, ${project}, 'p', 'm', 'image', 1, 'ok', n from generate_series(1, ${rows}) n`);
  await addCalls("other", null);
  await addCalls("own", projectId);
  await analyze("upstream_calls");
  await db.update(projects).set({ userId: null }).where(eq(projects.id, projectId));
  const queues = { ready: async () => {} };

  expect(await scannedBy((transaction) => removalStore(transaction, queues).removeBatch())).toEqual([]);
  expect(await db.$count(upstreamCalls, eq(upstreamCalls.projectId, projectId))).toBe(rows - 100);
});

test("the films of a full table are counted without reading them", async () => {
  const { userId, id: projectId } = await addProject(db);
  const batchId = await addTable(userId, projectId, rows);
  const ofTable = eq(batchItems.batchId, batchId);
  await db
    .update(batchItems)
    .set({ status: "error" })
    .where(and(ofTable, lte(batchItems.place, 10)));
  await db
    .update(batchItems)
    .set({ status: "waiting", frames: 30 })
    .where(and(ofTable, lte(batchItems.place, 4)));
  await db
    .update(batchItems)
    .set({ note: "good" })
    .where(and(ofTable, lte(batchItems.place, 20)));
  await db.delete(batchItems).where(and(ofTable, gt(batchItems.place, rows + 1 - 7)));

  const read = async (transaction: Database) => (await readCounts(transaction, [batchId])).get(batchId);
  expect(await read(db)).toMatchObject({ waiting: 4, frames: 120, error: 6, done: rows - 10 - 6, invalid: 0 });
  expect(await scannedBy(read)).toEqual([]);
  await db.delete(batches).where(eq(batches.id, batchId));
  expect(await db.$count(batchCounts, eq(batchCounts.batchId, batchId))).toBe(0);
});

test("assets with the same content are found without reading the others", async () => {
  const { id: projectId } = await addProject(db);
  const { file } = await addAsset(db, projectId);
  await seeding.execute(sql`
    insert into assets select (jsonb_populate_record(a, jsonb_build_object('id', a.id || n, 'sha256', md5(n::text)))).*
    from assets a, generate_series(1, ${rows}) n`);
  await analyze("assets");

  const { sha256 } = file;
  for (const hash of [sha256, sha256.slice(0, 12)]) {
    const find = (transaction: Database) => assetStore(transaction).findAlike(projectId, { hashes: [hash], names: [] });
    expect((await find(db)).map((asset) => asset.file.sha256)).toEqual([sha256]);
    expect(await scannedBy(find)).toEqual([]);
  }
});
