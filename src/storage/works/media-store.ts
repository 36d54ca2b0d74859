import { and, eq, getTableColumns } from "drizzle-orm";
import type { MediaSlot } from "../../domain/files/internal-urls.ts";
import type { WorkMedia, WorkMediaStore } from "../../domain/works/media.ts";
import type { Database } from "../database/database.ts";
import { withDatabaseTimeout } from "../database/errors.ts";
import { hasHash, toFileColumns, toStoredFile, withoutNulls } from "../database/rows.ts";
import { ownerOf, type UserLimits, withDocument, withinStorage } from "../database/storage-usage.ts";
import { workMedia, works } from "../tables/projects.ts";
import { workRows } from "./store.ts";
import { keepVersions } from "./version-store.ts";

const maxAlike = 1000;

const inSlot = (workId: string, slot: MediaSlot) => and(eq(workMedia.workId, workId), eq(workMedia.slot, slot));

const toMedia = ({ slot, createdAt, origin, speech, ...row }: typeof workMedia.$inferSelect): WorkMedia => ({
  slot,
  file: toStoredFile(row),
  createdAt,
  ...withoutNulls({ origin, speech }),
});

/** One statement with `write`. Returns the old content of the slot: a select does not see its statement's writes. */
async function putMedia(
  transaction: Database,
  workId: string,
  media: WorkMedia,
  write: ReturnType<typeof workRows.saving>,
): Promise<WorkMedia | undefined> {
  const { slot, file, createdAt, origin = null, speech = null } = media;
  const row = { workId, slot, ...toFileColumns(file), createdAt, origin, speech };
  const target = [workMedia.workId, workMedia.slot];
  const upsert = transaction.insert(workMedia).values(row).onConflictDoUpdate({ target, set: row });
  const put = transaction.$with("put").as(upsert.returning({ slot: workMedia.slot }));
  const written = transaction.$with("written").as(write);
  const [replaced] = await transaction.with(put, written).select().from(workMedia).where(inSlot(workId, slot));
  return replaced && toMedia(replaced);
}

async function listMedia(db: Database, workId: string): Promise<readonly WorkMedia[]> {
  const rows = await db.select().from(workMedia).where(eq(workMedia.workId, workId)).orderBy(workMedia.slot);
  return rows.map(toMedia);
}

// All changes lock the work's row first, so concurrent changes to the slots of a work run one after another.
export const workMediaStore = (db: Database, limits: UserLimits = {}): WorkMediaStore =>
  withDatabaseTimeout({
    list: (workId) => listMedia(db, workId),
    async findAlike(projectId, hashes) {
      if (hashes.length === 0) return [];
      const isWanted = and(eq(works.projectId, projectId), hasHash(workMedia.sha256, hashes));
      const ofProject = db
        .select(getTableColumns(workMedia))
        .from(workMedia)
        .innerJoin(works, eq(works.id, workMedia.workId));
      return (await ofProject.where(isWanted).limit(maxAlike)).map(toMedia);
    },
    async find(workId, slot) {
      const [row] = await db.select().from(workMedia).where(inSlot(workId, slot));
      return row && toMedia(row);
    },

    put: (projectId, workId, media, edit, { limit, check = () => {} } = {}) =>
      db.transaction((transaction) => {
        const put = async () => {
          const found = await workRows.lock(transaction, projectId, workId);
          if (!found) return undefined;
          const replaced = await putMedia(transaction, workId, media, workRows.saving(transaction, found, edit(found)));
          if (replaced) check(replaced);
          return replaced ? { replacedKey: replaced.file.key } : {};
        };
        return limit ? withinStorage(transaction, limit, media.file.sizeBytes, put) : put();
      }),

    remove: (projectId, workId, slot, edit) =>
      db.transaction(async (transaction) => {
        const found = await workRows.lock(transaction, projectId, workId);
        if (!found) return undefined;
        const { fileKey } = workMedia;
        const [removed] = await transaction.delete(workMedia).where(inSlot(workId, slot)).returning({ fileKey });
        if (!removed) return undefined;
        return { work: await workRows.save(transaction, found, edit(found)), removedKey: removed.fileKey };
      }),

    changeWork: (projectId, workId, edit, { keepsVersions = false } = {}) =>
      db.transaction((transaction) =>
        withDocument(transaction, ownerOf(projectId), limits, async () => {
          const found = await workRows.lock(transaction, projectId, workId);
          if (!found) return undefined;
          const changed = await workRows.save(transaction, found, edit(found, await listMedia(transaction, workId)));
          if (keepsVersions) await keepVersions(transaction, found, changed);
          return changed;
        }),
      ),
  });
