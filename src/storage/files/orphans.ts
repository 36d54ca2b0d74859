import { and, eq, exists, gt, inArray, isNotNull, not, or, sql } from "drizzle-orm";
import { exportStep } from "../../domain/exports/lifecycle/request.ts";
import { removeExpiredFiles, repeatWhileFull, rowsAtOnce } from "../../domain/files/expired.ts";
import type { Database } from "../database/database.ts";
import { withDatabaseTimeout } from "../database/errors.ts";
import { databaseMark } from "../database/template.ts";
import { deleteJobs, withFiles } from "../exports/job-rows.ts";
import { unfinished } from "../films/rows.ts";
import { batchItems } from "../tables/batches.ts";
import { exportFiles, exportJobs } from "../tables/exports.ts";
import { filmSteps, films, isUnfinished } from "../tables/films.ts";
import { generatedMedia } from "../tables/generated-media.ts";
import { idempotencyKeys } from "../tables/idempotency.ts";
import { assets, workMedia } from "../tables/projects.ts";
import { reviews } from "../tables/reviews.ts";
import type { StorageFiles } from "./local-files.ts";

const dayMs = 24 * 60 * 60 * 1000;
const keysPerQuery = 500;

/**
 * Removes stored files that are a day old and that neither a row nor an unfinished film references: a crash between
 * storing a file and writing its row leaves such orphans. Throws if the files belong to another database. Returns the
 * number of removed files.
 */
export async function sweepOrphanedFiles(db: Database, files: StorageFiles, now = Date.now()): Promise<number> {
  const { referencedAmong, keptAmong, databaseId } = withDatabaseTimeout({
    referencedAmong: (keys: readonly string[]) => referencedKeys(db, keys),
    keptAmong: (keys: readonly string[]) => keptForFilms(db, keys),
    databaseId: () => uniqueDatabaseId(db),
  });
  if (!(await files.claimForDatabase(await databaseId()))) throw new Error(foreignFiles);

  const keys = await files.keysWrittenBefore(now - dayMs);
  let removed = 0;
  for (let first = 0; first < keys.length; first += keysPerQuery) {
    const batch = keys.slice(first, first + keysPerQuery);
    const referenced = await referencedAmong(batch);
    const unreferenced = batch.filter((key) => !referenced.has(key));
    const kept = await keptAmong(unreferenced);
    const orphans = unreferenced.filter((key) => !kept.has(key));
    await files.remove(orphans);
    removed += orphans.length;
  }
  return removed;
}

const unlimitedMs = 50 * 366 * dayMs;

/**
 * Removes ended exports of films and tables that none of them names any more, because these do not expire. A running
 * film names its requested export in its step.
 */
export async function sweepUnnamedExports(
  db: Database,
  files: Pick<StorageFiles, "remove">,
  until: number,
): Promise<void> {
  const now = Date.now();
  const { id, status, expiresAt, finishedAt } = exportJobs;
  const ofRunning = db
    .select({ id: filmSteps.id })
    .from(filmSteps)
    .innerJoin(films, and(eq(films.id, filmSteps.filmId), inArray(films.status, [...unfinished])))
    .where(and(eq(filmSteps.kind, "export"), sql`${filmSteps.checkpoints} -> ${exportStep} ->> 'id' = ${id}`));
  const isNamed = or(
    exists(db.select({ id: films.id }).from(films).where(eq(films.exportId, id))),
    exists(db.select({ id: batchItems.id }).from(batchItems).where(eq(batchItems.exportId, id))),
    exists(ofRunning),
  );
  const rows = withDatabaseTimeout({
    async listExpired() {
      const isUnnamed = and(gt(expiresAt, now + unlimitedMs), isNotNull(finishedAt), not(isNamed!));
      const found = await db.select({ id, status }).from(exportJobs).where(isUnnamed).limit(rowsAtOnce);
      return await withFiles(db, found, (row, own = []) => ({ id: row.id, fileKeys: own.map(({ key }) => key) }));
    },
    removeExpired: async (ids: readonly string[]) => void (await deleteJobs(db, ids)),
  });
  await repeatWhileFull(() => removeExpiredFiles(rows, files, now), until);
}

const foreignFiles =
  "The files belong to another database, so those without a row are kept: remove files-of-database if they are of this one.";

/** The server's system identifier, the database's oid on that server, and the mark of a copied database. */
async function uniqueDatabaseId(db: Database): Promise<string> {
  const oid = sql`(select oid from pg_database where datname = current_database())`;
  const id = sql<string>`system_identifier || '/' || ${oid} || coalesce('/' || ${sql.raw(databaseMark)}, '')`;
  const [row] = await db.select({ id }).from(sql`pg_control_system()`);
  return row!.id;
}

/** All columns that hold the key of a stored file. */
const keyColumns = [
  assets.fileKey,
  assets.thumbnailKey,
  workMedia.fileKey,
  generatedMedia.fileKey,
  idempotencyKeys.fileKey,
  exportFiles.fileKey,
  reviews.fileKey,
];

async function referencedKeys(db: Database, keys: readonly string[]): Promise<ReadonlySet<string | null>> {
  const queries = keyColumns.map((key) =>
    db
      .select({ key })
      .from(key.table)
      .where(inArray(key, [...keys])),
  );
  const found = await Promise.all(queries);
  return new Set(found.flat().map(({ key }) => key));
}

/** Paid files that are not in their final place yet: a checkpoint of an unfinished film names them. */
async function keptForFilms(db: Database, keys: readonly string[]): Promise<ReadonlySet<string>> {
  if (keys.length === 0) return new Set();
  const key = sql<string>`coalesce(reached.value->>'id', reached.value->>'result')`;
  const found = await db
    .select({ key })
    .from(filmSteps)
    .innerJoin(sql`json_each(${filmSteps.checkpoints}) as reached`, sql`true`)
    .where(
      and(
        inArray(filmSteps.filmId, db.select({ id: films.id }).from(films).where(isUnfinished)),
        sql`${key} = any(${sql.param(keys)}::text[])`,
      ),
    );
  return new Set(found.map((row) => row.key));
}
