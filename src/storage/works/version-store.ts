import { and, desc, eq, inArray } from "drizzle-orm";
import { isId } from "../../domain/shared/ids.ts";
import {
  maxVersions,
  maxVersionsBytes,
  versionsOfSave,
  type WorkVersion,
  type WorkVersionStore,
} from "../../domain/works/versions.ts";
import type { Work } from "../../domain/works/works.ts";
import type { Database } from "../database/database.ts";
import { withDatabaseTimeout } from "../database/errors.ts";
import { workVersions } from "../tables/projects.ts";

const { id, workId, savedAt, sizeBytes } = workVersions;
const newestFirst = [desc(savedAt), desc(id)];

const toVersion = ({ id, savedAt, scenes, editorState }: typeof workVersions.$inferSelect): WorkVersion => ({
  ...{ id, savedAt, scenes, editorState },
});

export const workVersionStore = (db: Database): WorkVersionStore =>
  withDatabaseTimeout({
    list: (work) =>
      db
        .select({ id, savedAt })
        .from(workVersions)
        .where(eq(workId, work))
        .orderBy(...newestFirst)
        .limit(maxVersions),
    async find(work, version) {
      if (!isId("version", version)) return undefined;
      const [row] = await db
        .select()
        .from(workVersions)
        .where(and(eq(workId, work), eq(id, version)));
      return row && toVersion(row);
    },
  });

/** Adds the versions of a save, and removes the oldest. The work's row is locked. */
export async function keepVersions(transaction: Database, before: Work, after: Work): Promise<void> {
  const [newest] = await transaction
    .select()
    .from(workVersions)
    .where(eq(workId, after.id))
    .orderBy(...newestFirst)
    .limit(1);
  const added = versionsOfSave(before, after, newest && toVersion(newest));
  if (added.length === 0) return;
  const rows = added.map((version) => ({ ...version, workId: after.id, sizeBytes: bytesOf(version) }));
  await transaction.insert(workVersions).values(rows);
  const all = await transaction
    .select({ id, sizeBytes })
    .from(workVersions)
    .where(eq(workId, after.id))
    .orderBy(...newestFirst);
  let sum = 0;
  const old = all.filter(({ sizeBytes: bytes }, at) => {
    sum += bytes;
    return at > 0 && (at >= maxVersions || sum > maxVersionsBytes);
  });
  if (old.length === 0) return;
  await transaction.delete(workVersions).where(
    inArray(
      id,
      old.map((version) => version.id),
    ),
  );
}

const bytesOf = ({ scenes, editorState }: WorkVersion): number =>
  Buffer.byteLength(JSON.stringify([scenes, editorState]));
