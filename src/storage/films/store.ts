import { setTimeout as sleep } from "node:timers/promises";
import { and, asc, eq, getTableColumns, inArray, isNotNull, lt, type SQL, sql } from "drizzle-orm";
import { alias, type PgTable } from "drizzle-orm/pg-core";
import { batchRows } from "../../domain/files/batches.ts";
import {
  type Film,
  type FilmStep,
  type FilmStore,
  hasEnded,
  resumed,
  type SealedKeys,
} from "../../domain/films/film.ts";
import type { FilmResult, FoundResult } from "../../domain/films/reuse.ts";
import { eventOfChange } from "../../domain/films/webhook-events.ts";
import { isId } from "../../domain/shared/ids.ts";
import { isActive, users } from "../accounts/tables.ts";
import { userColumns } from "../accounts/users.ts";
import { notifyChange } from "../changes/feed.ts";
import type { Database } from "../database/database.ts";
import { withDatabaseTimeout } from "../database/errors.ts";
import { readPage } from "../database/paging.ts";
import { withoutNulls } from "../database/rows.ts";
import { spendTotals, upstreamCalls } from "../ledger/table.ts";
import { toProject } from "../projects/store.ts";
import { assets, projects, workMedia, works } from "../projects/tables.ts";
import type { JobQueues } from "../queue/job-queue.ts";
import { toWork } from "../works/store.ts";
import type { FilmOutbox } from "./outbox.ts";
import { filmKeys, filmResults, filmSteps, films } from "./table.ts";

type FilmRow = typeof films.$inferSelect;
type StepRow = typeof filmSteps.$inferSelect;
type Queues = Pick<JobQueues, "ready" | "send">;

const order = { time: films.createdAt, id: films.id, timeOf: (row: FilmRow) => row.createdAt };

/** A project that was removed has no owner. */
const isReachable = sql`exists (select from ${projects} where ${projects.id} = ${films.projectId}
  and ${isNotNull(projects.userId)})`;

/** In the statements that change films. */
const notified = notifyChange(films.id, "status");

const unfinished: readonly Film["status"][] = ["queued", "running", "waiting"];

const isRunning = and(inArray(films.status, [...unfinished]), isReachable);

const isAttempt = (filmId: string, attempt: number) => and(eq(films.id, filmId), eq(films.attempt, attempt), isRunning);

export const filmStore = (db: Database, queues: Queues, outbox: FilmOutbox): FilmStore =>
  withDatabaseTimeout({
    async add({ steps, ...film }, keys) {
      await queues.ready();
      await db.transaction(async (transaction) => {
        await transaction.insert(films).values(toRow(film));
        const rows = steps.map((step, place) => toStepRow(film.id, step, place));
        if (rows.length > 0) await transaction.insert(filmSteps).values(rows);
        await putKeys(transaction, film.id, keys);
        await queues.send("films", transaction, film.id, { group: film.userId });
      });
    },

    find: (projectId, filmId) =>
      isId("film", filmId)
        ? readFilm(db, and(eq(films.projectId, projectId), eq(films.id, filmId), isReachable))
        : Promise.resolve(undefined),

    async list(projectId, page) {
      const found = await readPage(order, page, (afterCursor: SQL | undefined) =>
        db
          .select()
          .from(films)
          .where(and(eq(films.projectId, projectId), afterCursor)),
      );
      const steps = await stepsOf(
        db,
        found.items.map(({ id }) => id),
      );
      return { ...found, items: found.items.map((row) => toFilm(row, steps.get(row.id) ?? [])) };
    },

    async acquire(filmId) {
      const [row] = await db
        .update(films)
        .set({ attempt: sql`${films.attempt} + 1`, revision: sql`${films.revision} + 1`, updatedAt: Date.now() })
        .where(and(eq(films.id, filmId), isRunning))
        .returning();
      return row && toFilm(row, (await stepsOf(db, [row.id])).get(row.id) ?? []);
    },

    load: (filmId, attempt) => readFilm(db, isAttempt(filmId, attempt)),

    async findTarget({ id, userId, projectId, workId }) {
      const keys = sql<SealedKeys | null>`(select json_object_agg(${filmKeys.category}, ${filmKeys.sealed})
        from ${filmKeys} where ${filmKeys.filmId} = ${id})`;
      const [found] = await db
        .select({ user: userColumns, project: getTableColumns(projects), work: getTableColumns(works), keys })
        .from(works)
        .innerJoin(projects, and(eq(projects.id, works.projectId), eq(projects.userId, userId)))
        .innerJoin(users, and(eq(users.id, projects.userId), isActive))
        .where(and(eq(works.projectId, projectId), eq(works.id, workId)));
      if (!found) return undefined;
      const { user, project, work } = found;
      return { user, project: toProject(project), work: toWork(work), keys: found.keys ?? {} };
    },

    loadRevision: revisionReader(db),

    async change({ id, projectId, attempt }, edit, { wake = false, keys = {}, results = [], seen } = {}) {
      if (!isId("film", id)) return undefined;
      const written = seen && (await writeUnchanged(db, seen, edit(seen), results));
      if (written) return written;
      await queues.ready();
      return await db.transaction(async (transaction) => {
        const isWanted = and(eq(films.id, id), eq(films.projectId, projectId));
        const [row] = await transaction.select().from(films).where(isWanted).for("update");
        if (!row || (attempt !== undefined && row.attempt !== attempt)) return undefined;
        const found = toFilm(row, (await stepsOf(transaction, [id])).get(id) ?? []);
        const edited = { ...edit(found), revision: found.revision + 1, updatedAt: Date.now() };
        const { steps, ...next } = await outbox.enqueueChange(transaction, found, edited);
        await transaction.update(films).set(toRow(next)).where(eq(films.id, id)).returning({ notified });
        await saveSteps(transaction, id, found.steps, steps);
        if (results.length > 0) await puttingResults(transaction, next, results);
        if (hasEnded(next)) await transaction.delete(filmKeys).where(eq(filmKeys.filmId, id));
        else await putKeys(transaction, id, keys);
        if (wake && !hasEnded(next)) await queues.send("films", transaction, id, { group: row.userId });
        if (row.batchId && row.status === "waiting" && next.status !== "waiting") {
          await queues.send("batches", transaction, row.batchId, { group: row.userId });
        }
        return { ...next, steps };
      });
    },

    async saveCheckpoints({ id, attempt }, stepId, checkpoints) {
      const isCurrent = sql`exists (select from ${films} where ${films.id} = ${id} and ${films.attempt} = ${attempt})`;
      const saved = await db
        .update(filmSteps)
        .set({ checkpoints })
        .where(and(eq(filmSteps.filmId, id), eq(filmSteps.id, stepId), isCurrent))
        .returning({ id: filmSteps.id });
      return saved.length > 0;
    },

    async findResult({ id, projectId }, hash) {
      const isOfAnother = sql`${filmResults.filmId} is distinct from ${id}`;
      const isSame = and(eq(filmResults.projectId, projectId), eq(filmResults.hash, hash), isOfAnother);
      const [found] = await db.select().from(filmResults).where(isSame);
      if (!found) return undefined;
      if (found.sha256 === null) return { output: found.output };
      return await findFile(db, projectId, found.sha256);
    },

    async keys(filmId) {
      const rows = await db.select().from(filmKeys).where(eq(filmKeys.filmId, filmId));
      return Object.fromEntries(rows.map(({ category, sealed }) => [category, sealed]));
    },

    async listWithVideoKey(owner) {
      const hasKey = and(eq(filmKeys.filmId, films.id), eq(filmKeys.category, "video"));
      const isOwn = "userId" in owner ? eq(films.userId, owner.userId) : eq(films.projectId, owner.projectId);
      // keys first: they are few, and an owner may have a hundred thousand films
      const rows = await db
        .select({ film: films })
        .from(filmKeys)
        .innerJoin(films, hasKey)
        .where(and(isOwn, inArray(films.status, [...unfinished])));
      const ids = rows.map(({ film }) => film.id);
      const steps = await stepsOf(db, ids);
      return rows.map(({ film }) => toFilm(film, steps.get(film.id) ?? []));
    },

    async expireKeys(before) {
      await queues.ready();
      const changes = { ...keysErased, updatedAt: Date.now() };
      return await changeWaiting(db, outbox, before, changes, sql`${films.id} in ${ofFilmsWithKeys}`);
    },

    async endWaiting(before) {
      await queues.ready();
      const now = Date.now();
      return await changeWaiting(db, outbox, before, { ...endedWait, updatedAt: now, endedAt: now });
    },

    remove: ({ id, projectId }) =>
      db.transaction(async (transaction) => {
        const isWanted = and(eq(films.id, id), eq(films.projectId, projectId));
        if ((await transaction.$count(films, isWanted)) === 0) return false;
        // sums first, as where calls begin and end
        await transaction.delete(spendTotals).where(and(eq(spendTotals.scope, "film"), eq(spendTotals.scopeId, id)));
        await transaction.update(upstreamCalls).set({ filmId: null, stepId: null }).where(eq(upstreamCalls.filmId, id));
        return (await transaction.delete(films).where(isWanted).returning({ notified })).length > 0;
      }),
  });

const gatherMs = 20;

function revisionReader(db: Database): FilmStore["loadRevision"] {
  let asked: string[] = [];
  let reading: Promise<ReadonlyMap<string, { readonly attempt: number; readonly revision: number }>> | undefined;
  const read = async () => {
    await sleep(gatherMs);
    const ids = asked;
    [asked, reading] = [[], undefined];
    const isAsked = sql`${films.id} = any(${sql.param(ids)}::text[])`;
    const columns = { id: films.id, attempt: films.attempt, revision: films.revision };
    const rows = await db.select(columns).from(films).where(and(isAsked, isRunning));
    return new Map(rows.map((row) => [row.id, row]));
  };
  return async (filmId, attempt) => {
    asked.push(filmId);
    reading ??= read();
    const found = (await reading).get(filmId);
    return found?.attempt === attempt ? found.revision : undefined;
  };
}

/** A file with these contents among those of the project's works and assets. */
async function findFile(db: Database, projectId: string, sha256: string): Promise<FoundResult | undefined> {
  const columns = <Table extends typeof workMedia | typeof assets>({ fileKey, sizeBytes }: Table) => ({
    key: fileKey,
    sizeBytes,
  });
  const isInProject = and(eq(works.projectId, projectId), eq(workMedia.sha256, sha256));
  const ofWorks = db.select(columns(workMedia)).from(workMedia);
  const [media] = await ofWorks.innerJoin(works, eq(works.id, workMedia.workId)).where(isInProject).limit(1);
  if (media) return { file: { ...media, sha256 } };
  const isAsset = and(eq(assets.projectId, projectId), eq(assets.sha256, sha256));
  const [asset] = await db.select(columns(assets)).from(assets).where(isAsset).limit(1);
  return asset && { file: { ...asset, sha256 } };
}

const ofFilmsWithKeys = sql`(select distinct film_id from film_keys)`;

/** Changes a batch of films that have waited since before this time, and erases their keys. Returns their number. */
const changeWaiting = (
  db: Database,
  outbox: FilmOutbox,
  before: number,
  changes: Partial<FilmRow>,
  condition?: SQL,
): Promise<number> =>
  db.transaction(async (transaction) => {
    const hasWaited = and(eq(films.status, "waiting"), lt(films.updatedAt, before), condition);
    const batch = transaction.select({ id: films.id }).from(films).where(hasWaited).limit(batchRows);
    const changed = await transaction
      .update(films)
      .set({ ...changes, revision: sql`${films.revision} + 1` })
      // once more, for films that another transaction has changed meanwhile
      .where(and(inArray(films.id, batch), hasWaited))
      .returning({ ...getTableColumns(films), notified });
    const ids = changed.map(({ id }) => id);
    if (ids.length > 0) await transaction.delete(filmKeys).where(inArray(filmKeys.filmId, ids));
    for (const { notified: _, ...row } of changed.filter(({ webhook }) => webhook !== null)) {
      const film = toFilm(row, (await stepsOf(transaction, [row.id])).get(row.id) ?? []);
      await outbox.enqueueChange(transaction, resumed(film), film);
    }
    return ids.length;
  });

const endedWait: Partial<FilmRow> = {
  ...{ status: "error", waitingFor: null, waitingReason: null, waitingAt: null },
  failure: { code: "not_waiting", message: "The film has waited for 30 days: order it again." },
};

const keysErased = {
  waitingFor: "key",
  waitingAt: null,
  waitingReason: "The keys were erased because the film has waited for 7 days. Send them again to go on.",
} as const;

async function readFilm(db: Database, where: SQL | undefined): Promise<Film | undefined> {
  const [row] = await db.select().from(films).where(where);
  return row && toFilm(row, (await stepsOf(db, [row.id])).get(row.id) ?? []);
}

async function stepsOf(db: Database, filmIds: readonly string[]): Promise<ReadonlyMap<string, readonly StepRow[]>> {
  if (filmIds.length === 0) return new Map();
  const isOfFilms = inArray(filmSteps.filmId, [...filmIds]);
  const rows = await db.select().from(filmSteps).where(isOfFilms).orderBy(asc(filmSteps.place));
  return Map.groupBy(rows, ({ filmId }) => filmId);
}

async function putKeys(transaction: Database, filmId: string, keys: SealedKeys): Promise<void> {
  // safe because these are the names of the record
  const rows = Object.entries(keys).map(([category, sealed]) => ({
    filmId,
    category: category as keyof SealedKeys,
    sealed,
  }));
  if (rows.length === 0) return;
  await transaction
    .insert(filmKeys)
    .values(rows)
    .onConflictDoUpdate({ target: [filmKeys.filmId, filmKeys.category], set: { sealed: sql`excluded.sealed` } });
}

/**
 * Writes a change of the film as it was read before, in one statement. Undefined if it has changed since, or if the change
 * has consequences: then nothing is written.
 */
async function writeUnchanged(
  db: Database,
  before: Film,
  edited: Film,
  results: readonly FilmResult[],
): Promise<Film | undefined> {
  const after = { ...edited, revision: before.revision + 1, updatedAt: Date.now() };
  const { steps, ...film } = after;
  const ids = new Set(steps.map(({ id }) => id));
  const losesSteps = before.steps.some(({ id }) => !ids.has(id));
  if (losesSteps || hasEnded(after) || eventOfChange(before, after)) return undefined;
  const isSame = and(isAttempt(film.id, film.attempt), eq(films.revision, before.revision));
  const write = db
    .update(films)
    .set(toRow(film))
    .where(isSame)
    .returning({ id: films.id, notified: notified.as("notified") });
  const differing = steps.flatMap((step, place) =>
    step === before.steps[place] ? [] : [toStepRow(film.id, step, place)],
  );
  if (differing.length === 0) return (await write).length > 0 ? after : undefined;
  const written = db.$with("written").as(write);
  const rows = differing.map((row) => sql`select ${stepValues(row)} from ${written}`);
  const remembered = results.length > 0 ? [db.$with("remembered").as(puttingResults(db, after, results))] : [];
  const saved = await db
    .with(written, ...remembered)
    .insert(filmSteps)
    .select(sql.join(rows, sql` union all `))
    .onConflictDoUpdate({ target: [filmSteps.filmId, filmSteps.id], set: inserted(filmSteps) })
    .returning({ id: filmSteps.id });
  return saved.length > 0 ? after : undefined;
}

/** In the place of earlier ones of the same input. */
function puttingResults(
  db: Database,
  { id: filmId, projectId }: Pick<Film, "id" | "projectId">,
  results: readonly FilmResult[],
) {
  const rows = results.map((result) => ({ projectId, filmId, output: null, sha256: null, ...result }));
  const { filmId: film, output, sha256 } = inserted(filmResults);
  return db
    .insert(filmResults)
    .values([...new Map(rows.map((row) => [row.hash, row])).values()])
    .onConflictDoUpdate({
      target: [filmResults.projectId, filmResults.hash],
      set: { filmId: film, output, sha256 },
    })
    .returning({ hash: filmResults.hash });
}

/** The columns of the rows that an insert found in the table already, with the values that it has for them. */
const inserted = <Table extends PgTable>(table: Table) => {
  const columns = getTableColumns(alias(table, "excluded"));
  // safe because each column becomes an expression
  return Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, sql`${column}`])) as {
    [Name in keyof Table["_"]["columns"]]: SQL;
  };
};

const stepColumns = Object.entries(getTableColumns(filmSteps));

/** A select does not take the types of its parameters from the columns that it fills. */
const stepValues = (row: StepRow): SQL =>
  sql.join(
    // safe because a row has the columns of its table
    stepColumns.map(
      ([name, column]) => sql`${sql.param(row[name as keyof StepRow], column)}::${sql.raw(column.getSQLType())}`,
    ),
    sql`, `,
  );

/** Writes what differs. */
async function saveSteps(
  transaction: Database,
  filmId: string,
  before: readonly FilmStep[],
  after: readonly FilmStep[],
): Promise<void> {
  const known = new Map(before.map((step, place) => [step.id, { step, place }]));
  for (const [place, step] of after.entries()) {
    const found = known.get(step.id);
    known.delete(step.id);
    if (found?.step === step && found.place === place) continue;
    const row = toStepRow(filmId, step, place);
    await transaction
      .insert(filmSteps)
      .values(row)
      .onConflictDoUpdate({ target: [filmSteps.filmId, filmSteps.id], set: row });
  }
  const gone = [...known.keys()];
  if (gone.length === 0) return;
  await transaction.delete(filmSteps).where(and(eq(filmSteps.filmId, filmId), inArray(filmSteps.id, gone)));
}

const toRow = ({ maxSpend, ...film }: Omit<Film, "steps">): FilmRow => ({
  ...film,
  batchId: film.batchId ?? null,
  maxSpend: maxSpend === undefined ? null : Number(maxSpend),
  waitingFor: film.waitingFor ?? null,
  waitingReason: film.waitingReason ?? null,
  waitingAt: film.waitingAt ?? null,
  exportId: film.exportId ?? null,
  webhook: film.webhook ?? null,
  traceparent: film.traceparent ?? null,
  failure: film.failure ?? null,
  endedAt: film.endedAt ?? null,
});

function toFilm({ maxSpend, ...row }: FilmRow, steps: readonly StepRow[]): Film {
  return {
    ...withoutNulls(row),
    ...(maxSpend !== null && { maxSpend: BigInt(maxSpend) }),
    steps: steps.map(toStep),
  };
}

const toStepRow = (filmId: string, { wish, assetId, force, scene, ...step }: FilmStep, place: number): StepRow => ({
  ...step,
  filmId,
  place,
  scene: scene ?? null,
  wish: wish ?? null,
  assetId: assetId ?? null,
  force: force ? 1 : null,
});

function toStep({ filmId: _, place: __, force, ...row }: StepRow): FilmStep {
  return { ...withoutNulls(row), ...(force !== null && { force: true }) };
}
