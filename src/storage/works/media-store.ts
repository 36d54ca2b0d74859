import { and, eq } from "drizzle-orm";
import type { MediaSlot } from "../../domain/shared/media-slot.ts";
import type { WorkMedia, WorkMediaStore } from "../../domain/works/media.ts";
import type { Database } from "../database/database.ts";
import { withDatabaseTimeout } from "../database/errors.ts";
import { toFileColumns, toStoredFile } from "../database/rows.ts";
import { ownerOf, type UserLimits, withDocument, withinStorage } from "../database/storage-usage.ts";
import { workMedia } from "../projects/tables.ts";
import { workRows } from "./store.ts";

const inSlot = (workId: string, slot: MediaSlot) => and(eq(workMedia.workId, workId), eq(workMedia.slot, slot));

const toMedia = ({ slot, createdAt, origin, speech, ...row }: typeof workMedia.$inferSelect): WorkMedia => ({
  slot,
  file: toStoredFile(row),
  createdAt,
  ...(origin && { origin }),
  ...(speech && { speech }),
});

async function findMedia(db: Database, workId: string, slot: MediaSlot): Promise<WorkMedia | undefined> {
  const [row] = await db.select().from(workMedia).where(inSlot(workId, slot));
  return row && toMedia(row);
}

async function putMedia(transaction: Database, workId: string, media: WorkMedia): Promise<void> {
  const { slot, file, createdAt, origin = null, speech = null } = media;
  const row = { workId, slot, ...toFileColumns(file), createdAt, origin, speech };
  const target = [workMedia.workId, workMedia.slot];
  await transaction.insert(workMedia).values(row).onConflictDoUpdate({ target, set: row });
}

async function listMedia(db: Database, workId: string): Promise<readonly WorkMedia[]> {
  const rows = await db.select().from(workMedia).where(eq(workMedia.workId, workId)).orderBy(workMedia.slot);
  return rows.map(toMedia);
}

// All changes lock the work's row first, so concurrent changes to the slots of a work run one after the other.
export const workMediaStore = (db: Database, limits: UserLimits = {}): WorkMediaStore =>
  withDatabaseTimeout({
    list: (workId) => listMedia(db, workId),
    find: (workId, slot) => findMedia(db, workId, slot),

    put: (projectId, workId, media, edit, limit) =>
      db.transaction((transaction) => {
        const put = async () => {
          const found = await workRows.lock(transaction, projectId, workId);
          if (!found) return undefined;
          const replaced = await findMedia(transaction, workId, media.slot);
          await putMedia(transaction, workId, media);
          const work = await workRows.save(transaction, found, edit(found, replaced));
          return { work, ...(replaced && { replacedKey: replaced.file.key }) };
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

    changeWork: (projectId, workId, edit) =>
      db.transaction((transaction) =>
        withDocument(transaction, ownerOf(projectId), limits, async () => {
          const found = await workRows.lock(transaction, projectId, workId);
          return found && workRows.save(transaction, found, edit(found, await listMedia(transaction, workId)));
        }),
      ),
  });
