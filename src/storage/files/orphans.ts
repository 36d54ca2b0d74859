import { inArray, sql } from "drizzle-orm";
import type { Database } from "../database/database.ts";
import { withDatabaseTimeout } from "../database/errors.ts";
import { exportFiles } from "../database/export-tables.ts";
import { generatedMedia, idempotencyKeys } from "../database/provider-tables.ts";
import { assets, workMedia } from "../database/schema.ts";
import type { DiskFiles } from "./disk-files.ts";

const dayMs = 24 * 60 * 60 * 1000;
const keysPerQuery = 500;

/**
 * Removes stored files that no row names and that are a day old: what a crash between a row and its file left.
 * Those of another database, which this one knows nothing of, are left alone. Answers their number.
 */
export async function sweepOrphans(db: Database, files: DiskFiles, now = Date.now()): Promise<number> {
  const { namedAmong, databaseId } = withDatabaseTimeout({
    namedAmong: (keys: readonly string[]) => namedKeys(db, keys),
    databaseId: () => idOf(db),
  });
  if (!(await files.belongTo(await databaseId()))) return 0;

  const keys = await files.keysBefore(now - dayMs);
  let removed = 0;
  for (let first = 0; first < keys.length; first += keysPerQuery) {
    const some = keys.slice(first, first + keysPerQuery);
    const named = await namedAmong(some);
    const orphans = some.filter((key) => !named.has(key));
    await files.remove(orphans);
    removed += orphans.length;
  }
  return removed;
}

/** What tells a database from every other: its server's own number, and its number there. */
async function idOf(db: Database): Promise<string> {
  const id = sql<string>`system_identifier || '/' || (select oid from pg_database where datname = current_database())`;
  const [row] = await db.select({ id }).from(sql`pg_control_system()`);
  return row!.id;
}

async function namedKeys(db: Database, keys: readonly string[]): Promise<ReadonlySet<string | null>> {
  const columns = [
    assets.fileKey,
    assets.thumbnailKey,
    workMedia.fileKey,
    generatedMedia.fileKey,
    idempotencyKeys.fileKey,
    exportFiles.fileKey,
  ];
  const queries = columns.map((key) =>
    db
      .select({ key })
      .from(key.table)
      .where(inArray(key, [...keys])),
  );
  const found = await Promise.all(queries);
  return new Set(found.flat().map(({ key }) => key));
}
