import { setTimeout as sleep } from "node:timers/promises";
import { and, eq, getTableColumns, inArray, sql } from "drizzle-orm";
import { type FilmStore, hasEnded, type SealedKeys } from "../../domain/films/film.ts";
import type { FoundResult } from "../../domain/films/reuse.ts";
import { isId } from "../../domain/shared/ids.ts";
import { userColumns } from "../accounts/users.ts";
import type { Database } from "../database/database.ts";
import { withDatabaseTimeout } from "../database/errors.ts";
import { withEntries } from "../database/json-entries.ts";
import { readRows } from "../database/paging.ts";
import { addToProject, type UserLimits } from "../database/storage-usage.ts";
import type { Queues } from "../exports/outbox.ts";
import { readCommitted } from "../ledger/totals.ts";
import { toProject } from "../projects/store.ts";
import { isActive, users } from "../tables/accounts.ts";
import { batchItems } from "../tables/batches.ts";
import { filmKeys, filmResults, filmSteps, films } from "../tables/films.ts";
import { spendTotals, upstreamCalls } from "../tables/ledger.ts";
import { assets, projects, workMedia, works } from "../tables/projects.ts";
import { toWork, workRows } from "../works/store.ts";
import type { FilmOutbox } from "./outbox.ts";
import {
  isAttempt,
  isReachable,
  isRunning,
  notified,
  readFilm,
  stepsOf,
  toFilm,
  toRow,
  toStepRow,
  unfinished,
} from "./rows.ts";
import { changeWaiting, endedWait, filmIdsWithKeys, isUnderBudget, keysErased } from "./waiting.ts";
import { putKeys, puttingResults, saveSteps, writeUnchanged } from "./write.ts";

export const filmStore = (db: Database, queues: Queues, outbox: FilmOutbox, limits: UserLimits = {}): FilmStore =>
  withDatabaseTimeout({
    async add({ steps, ...film }, keys, work) {
      await queues.ready();
      const added = await addToProject(db, limits, film.projectId, async (transaction) => {
        if (work && !(await workRows.adder(transaction)(work))) return undefined;
        await transaction.insert(films).values(toRow(film));
        const rows = steps.map((step, place) => toStepRow(film.id, step, place));
        if (rows.length > 0) await transaction.insert(filmSteps).values(rows);
        await putKeys(transaction, film.id, keys);
        await queues.send("films", transaction, film.id, { group: film.userId });
        return film;
      });
      return added !== undefined;
    },

    find: (projectId, filmId) =>
      isId("film", filmId)
        ? readFilm(db, and(eq(films.projectId, projectId), eq(films.id, filmId), isReachable))
        : Promise.resolve(undefined),

    async list(projectId, page) {
      const found = await readRows(db, films, eq(films.projectId, projectId), page);
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

    async change({ id, projectId, attempt }, edit, options = {}) {
      const { wake = false, countsSpend = false, keys = {}, results = [], seen, editWork } = options;
      if (!isId("film", id)) return undefined;
      const written = seen && (await writeUnchanged(db, seen, edit(seen, 0n, undefined), results));
      if (written) return written;
      await queues.ready();
      return await db.transaction(async (transaction) => {
        const isWanted = and(eq(films.id, id), eq(films.projectId, projectId));
        const [row] = await transaction.select().from(films).where(isWanted).for("update");
        if (!row || (attempt !== undefined && row.attempt !== attempt)) return undefined;
        const found = toFilm(row, (await stepsOf(transaction, [id])).get(id) ?? []);
        // after the lock, because a reservation also locks the film
        const committed = countsSpend ? await readCommitted(transaction, { scope: "film", scopeId: id }) : 0n;
        const work = editWork && (await workRows.lock(transaction, projectId, found.workId));
        if (editWork && !work) return undefined;
        const edited = { ...edit(found, committed, work), revision: found.revision + 1, updatedAt: Date.now() };
        const { steps, ...next } = await outbox.enqueueChange(transaction, found, edited);
        await transaction.update(films).set(toRow(next)).where(eq(films.id, id)).returning({ notified });
        await saveSteps(transaction, id, found.steps, steps);
        if (editWork && work) await workRows.save(transaction, work, editWork(work));
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

    async saveCheckpoints({ id, attempt }, stepId, changed) {
      const isCurrent = sql`exists (select from ${films} where ${films.id} = ${id} and ${films.attempt} = ${attempt})`;
      const saved = await db
        .update(filmSteps)
        .set({ checkpoints: withEntries(filmSteps.checkpoints, changed) })
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
      // keys first: there are few, and an owner may have a hundred thousand films
      const rows = await db
        .select({ film: films })
        .from(filmKeys)
        .innerJoin(films, hasKey)
        .where(and(isOwn, inArray(films.status, [...unfinished])));
      const ids = rows.map(({ film }) => film.id);
      const steps = await stepsOf(db, ids);
      return rows.map(({ film }) => toFilm(film, steps.get(film.id) ?? []));
    },

    listUnderBudget: (of) =>
      db.select({ id: films.id, projectId: films.projectId }).from(films).where(isUnderBudget(of)),

    async expireKeys(before) {
      await queues.ready();
      const changes = { ...keysErased, updatedAt: Date.now() };
      return await changeWaiting(db, outbox, before, changes, sql`${films.id} in ${filmIdsWithKeys}`);
    },

    async endWaiting(before) {
      await queues.ready();
      const now = Date.now();
      return await changeWaiting(db, outbox, before, { ...endedWait, updatedAt: now, endedAt: now });
    },

    async renameVideos(exportId, videos) {
      for (const { target, ...video } of videos) {
        const isSame = and(eq(batchItems.exportId, exportId), sql`${batchItems.target} = ${target}`);
        await db.update(batchItems).set(video).where(isSame);
      }
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

/** A file with this content among the project's works and assets. */
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
