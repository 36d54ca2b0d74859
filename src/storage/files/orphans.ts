import { and, inArray, sql } from "drizzle-orm";
import type { Database } from "../database/database.ts";
import { withDatabaseTimeout } from "../database/errors.ts";
import { databaseMark } from "../database/template.ts";
import { exportFiles } from "../exports/tables.ts";
import { filmSteps, films, isUnfinished } from "../films/table.ts";
import { generatedMedia } from "../generated-media/table.ts";
import { idempotencyKeys } from "../idempotency/table.ts";
import { assets, workMedia } from "../projects/tables.ts";
import { reviews } from "../reviews/tables.ts";
import type { StorageFiles } from "./local-files.ts";

const dayMs = 24 * 60 * 60 * 1000;
const keysPerQuery = 500;

/**
 * Removes stored files that are a day old and that neither a row references nor an unfinished film goes on from: a crash between storing a file and writing its
 * row leaves such orphans. Throws if the files belong to another database. Returns the number of removed files.
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

const foreignFiles =
  "The files belong to another database, so those without a row are kept: remove files-of-database if they are of this one.";

/** The server's system identifier, the database's oid on that server, and the mark of a database that is a copy. */
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

/** What was paid for, and is not in its place yet: a checkpoint of an unfinished film names it. */
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
