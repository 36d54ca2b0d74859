import { and, eq } from "drizzle-orm";
import type { MediaSlot, WorkMedia, WorkMediaStore } from "../../domain/works/works.ts";
import type { Database } from "../database/database.ts";
import { withDatabaseTimeout } from "../database/errors.ts";
import { fileColumnsOf, fileOf } from "../database/rows.ts";
import { workMedia } from "../database/schema.ts";
import { workRows } from "./work-rows.ts";

const inSlot = (workId: string, slot: MediaSlot) => and(eq(workMedia.workId, workId), eq(workMedia.slot, slot));

const toMedia = ({ slot, createdAt, ...row }: typeof workMedia.$inferSelect): WorkMedia => ({
  slot,
  file: fileOf(row),
  createdAt,
});

async function findMedia(db: Database, workId: string, slot: MediaSlot): Promise<WorkMedia | undefined> {
  const [row] = await db.select().from(workMedia).where(inSlot(workId, slot));
  return row && toMedia(row);
}

async function fillSlot(transaction: Database, workId: string, { slot, file, createdAt }: WorkMedia): Promise<void> {
  const row = { workId, slot, ...fileColumnsOf(file), createdAt };
  const target = [workMedia.workId, workMedia.slot];
  await transaction.insert(workMedia).values(row).onConflictDoUpdate({ target, set: row });
}

// the work's row is locked first in both changes, so the slots of a work change one after the other
export const workMediaStore = (db: Database): WorkMediaStore =>
  withDatabaseTimeout({
    async list(workId) {
      return (await db.select().from(workMedia).where(eq(workMedia.workId, workId)).orderBy(workMedia.slot)).map(
        toMedia,
      );
    },
    find: (workId, slot) => findMedia(db, workId, slot),

    put: (projectId, workId, media, edit) =>
      db.transaction(async (transaction) => {
        const found = await workRows.lock(transaction, projectId, workId);
        if (!found) return undefined;
        const replaced = await findMedia(transaction, workId, media.slot);
        await fillSlot(transaction, workId, media);
        const work = await workRows.save(transaction, found, edit(found, replaced));
        return { work, ...(replaced && { replacedKey: replaced.file.key }) };
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
  });
