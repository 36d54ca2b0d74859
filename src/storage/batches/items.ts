import { and, asc, desc, eq, gt, inArray, isNotNull, isNull, ne, notInArray, or, sql } from "drizzle-orm";
import type { BatchItem, BatchStore, CheckedItem } from "../../domain/batches/batch.ts";
import { isId } from "../../domain/shared/ids.ts";
import { invalid } from "../../errors.ts";
import { notifyChange } from "../changes/feed.ts";
import type { Database } from "../database/database.ts";
import { withNulls, withoutNulls } from "../database/rows.ts";
import { batches, batchItems } from "../tables/batches.ts";
import { exportFiles, exportJobs } from "../tables/exports.ts";
import { films } from "../tables/films.ts";
import type { BatchOutbox } from "./outbox.ts";

type ItemRow = typeof batchItems.$inferSelect;

const toItem = ({ projectId: _, ...row }: ItemRow): BatchItem => withoutNulls(row);

const rowsAtOnce = 500;

const replaced = (column: string) => sql.raw(`excluded.${column}`);

/** True for a batch with a film whose order waits. */
const hasWaitingFilm = sql`exists (select from ${films} where ${films.id} = ${batchItems.filmId}
  and ${films.status} = 'waiting')`;

type ItemStore = Pick<
  BatchStore,
  "addChecked" | "endCheck" | "findItem" | "listItems" | "changeItem" | "nameFilm" | "videos"
> &
  Pick<BatchStore, "itemsWith" | "findSame" | "reopen" | "cancelItems" | "runningExports">;

export const itemStore = (db: Database, outbox: BatchOutbox): ItemStore => ({
  addChecked: ({ id, attempt }, items, progress) =>
    db.transaction(async (transaction) => {
      const [row] = await transaction
        .update(batches)
        .set({ ...progress, revision: sql`${batches.revision} + 1`, updatedAt: Date.now() })
        .where(and(eq(batches.id, id), eq(batches.attempt, attempt), eq(batches.status, "validating")))
        .returning({ projectId: batches.projectId, notified });
      if (!row) return false;
      await addItems(transaction, { batchId: id, projectId: row.projectId }, items);
      return true;
    }),

  endCheck: ({ id }) => markPreview(db, id),

  async findItem(batchId, itemId) {
    if (!isId("item", itemId)) return undefined;
    const [row] = await db.select().from(batchItems).where(isItem(batchId, itemId));
    return row && toItem(row);
  },

  // sorted by index, which is the cursor
  async listItems(batchId, { status, approval }, { limit, after }) {
    const isWanted = and(
      eq(batchItems.batchId, batchId),
      status === undefined ? undefined : eq(batchItems.status, status),
      approval === undefined ? undefined : eq(batchItems.approval, approval),
      after === undefined ? undefined : gt(batchItems.place, placeOf(after)),
    );
    const rows = await db
      .select()
      .from(batchItems)
      .where(isWanted)
      .orderBy(asc(batchItems.place))
      .limit(limit + 1);
    const items = rows.slice(0, limit).map(toItem);
    const last = items.at(-1);
    return last && rows.length > limit ? { items, next: `${last.place}` } : { items };
  },

  async itemsWith(batchId, status, limit, onlyPreview) {
    const isWanted = and(
      ...[eq(batchItems.batchId, batchId), eq(batchItems.status, status)],
      onlyPreview ? eq(batchItems.isPreview, true) : undefined,
      status === "waiting" ? sql`not ${hasWaitingFilm}` : undefined,
    );
    const rows = await db.select().from(batchItems).where(isWanted).orderBy(asc(batchItems.place)).limit(limit);
    return rows.map(toItem);
  },

  async findSame(projectId, identities) {
    if (identities.length === 0) return new Map();
    const { identity, exportId, sha256, sizeBytes, warnings } = batchItems;
    const rows = await db
      .selectDistinctOn([identity], { identity, exportId, sha256, sizeBytes, warnings })
      .from(batchItems)
      .innerJoin(exportJobs, and(eq(exportJobs.id, exportId), eq(exportJobs.status, "done")))
      .where(
        and(
          ...[eq(batchItems.projectId, projectId), inArray(identity, [...new Set(identities)])],
          inArray(batchItems.status, ["done", "unchanged"]),
        ),
      );
    // safe because finished films have all of them
    return new Map(
      rows.map((row) => [
        row.identity!,
        { exportId: row.exportId!, sha256: row.sha256!, sizeBytes: row.sizeBytes!, warnings: row.warnings },
      ]),
    );
  },

  async changeItem({ id: batchId, attempt }, itemId, changes) {
    await outbox.ready();
    return await db.transaction(async (transaction) => {
      // the batch before its films, as in every transaction that locks both
      const [batch] = await noteChange(transaction, batchId, attempt);
      if (!batch) return undefined;
      const [row] = await transaction.update(batchItems).set(changes).where(isItem(batchId, itemId)).returning();
      if (!row) return undefined;
      const item = toItem(row);
      await outbox.enqueueFilm(transaction, withoutNulls(batch), item, changes);
      return item;
    });
  },

  async nameFilm(batchId, of, filmId) {
    const { row, language } = batchItems;
    const isOf = and(eq(batchItems.batchId, batchId), eq(row, of.row), eq(language, of.language));
    const [found] = await db
      .select({ filmId: batchItems.filmId })
      .from(batchItems)
      .where(and(isOf, isNotNull(batchItems.filmId)))
      .limit(1);
    if (found?.filmId) return found.filmId;
    await db.update(batchItems).set({ filmId }).where(isOf);
    return filmId;
  },

  // an export that its owner removed has no file
  async videos(batchId, approval) {
    const { fileName, exportId, target, status, place } = batchItems;
    return await db
      .select({ fileName, key: exportFiles.fileKey, sizeBytes: exportFiles.sizeBytes })
      .from(batchItems)
      .innerJoin(exportFiles, and(eq(exportFiles.exportId, exportId), eq(exportFiles.target, target)))
      .where(
        and(
          ...[eq(batchItems.batchId, batchId), inArray(status, ["done", "unchanged"])],
          approval === undefined ? undefined : eq(batchItems.approval, approval),
        ),
      )
      .orderBy(asc(place));
  },

  async reopen(batchId) {
    const isFailed = and(eq(batchItems.batchId, batchId), inArray(batchItems.status, ["invalid", "error"]));
    const rows = await db.selectDistinct({ row: batchItems.row }).from(batchItems).where(isFailed);
    return rows.map(({ row }) => row);
  },

  cancelItems: (batchId, statuses) =>
    db.transaction(async (transaction) => {
      await transaction.select({ id: batches.id }).from(batches).where(eq(batches.id, batchId)).for("update");
      await transaction
        .update(batchItems)
        .set({ status: "cancelled" })
        .where(and(eq(batchItems.batchId, batchId), inArray(batchItems.status, [...statuses])));
    }),

  async runningExports(batchId) {
    const rows = await db
      .select({ exportId: batchItems.exportId })
      .from(batchItems)
      .where(and(eq(batchItems.batchId, batchId), eq(batchItems.status, "running")));
    return rows.flatMap(({ exportId }) => exportId ?? []);
  },
});

/** Adds validated films. Existing failed and invalid ones are replaced; the others stay. */
async function addItems(
  transaction: Database,
  place: { readonly batchId: string; readonly projectId: string },
  items: readonly CheckedItem[],
): Promise<void> {
  const rows = items.map((item): ItemRow => withNulls(batchItems, { ...item, ...place, approval: "none" as const }));
  for (let from = 0; from < rows.length; from += rowsAtOnce) {
    await transaction
      .insert(batchItems)
      .values(rows.slice(from, from + rowsAtOnce))
      .onConflictDoUpdate({
        target: [batchItems.batchId, batchItems.place],
        set: {
          status: replaced("status"),
          identity: replaced("identity"),
          values: replaced('"values"'),
          textLength: replaced("text_length"),
          frames: replaced("frames"),
          exportId: replaced("export_id"),
          filmId: replaced("film_id"),
          sha256: replaced("sha256"),
          sizeBytes: replaced("size_bytes"),
          warnings: replaced("warnings"),
          errors: replaced("errors"),
          failure: null,
        },
        setWhere: or(inArray(batchItems.status, ["invalid", "error"]), isNull(batchItems.identity)),
      });
  }
}

/** Marks the first film, the film with the longest texts, and the film with the lowest identity. */
async function markPreview(db: Database, batchId: string): Promise<void> {
  const isOf = eq(batchItems.batchId, batchId);
  if ((await db.$count(batchItems, and(isOf, eq(batchItems.isPreview, true)))) > 0) return;
  const chosen: string[] = [];
  const { place, textLength, identity, id, status } = batchItems;
  for (const by of [asc(place), desc(textLength), asc(identity)]) {
    const isFree = chosen.length > 0 ? notInArray(id, chosen) : undefined;
    const isCandidate = and(isOf, ne(status, "invalid"), isFree);
    const [row] = await db.select({ id }).from(batchItems).where(isCandidate).orderBy(by, asc(place)).limit(1);
    if (row) chosen.push(row.id);
  }
  if (chosen.length > 0) await db.update(batchItems).set({ isPreview: true }).where(inArray(id, chosen));
}

const isItem = (batchId: string, itemId: string) => and(eq(batchItems.batchId, batchId), eq(batchItems.id, itemId));

/** Notifies those who follow the batch. */
const noteChange = (transaction: Database, batchId: string, attempt: number | undefined) => {
  const { userId, projectId, updatedAt, webhook, order } = batches;
  return transaction
    .update(batches)
    .set({ revision: sql`${batches.revision} + 1`, updatedAt: Date.now() })
    .where(and(eq(batches.id, batchId), attempt === undefined ? undefined : eq(batches.attempt, attempt)))
    .returning({ userId, projectId, updatedAt, webhook, order, notified });
};

export const notified = notifyChange(batches.id, "status");

function placeOf(cursor: string): number {
  if (/^\d{1,9}$/.test(cursor)) return Number(cursor);
  throw invalid("cursor", "Must be one that this list returned.");
}
