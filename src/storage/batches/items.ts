import { and, asc, desc, eq, gt, inArray, isNotNull, isNull, ne, notInArray, or, sql } from "drizzle-orm";
import type {
  BatchItem,
  BatchStore,
  BatchVideo,
  CheckedItem,
  ItemChanges,
  ItemFilter,
} from "../../domain/batches/batch.ts";
import { isId } from "../../domain/shared/ids.ts";
import type { Page, PageRequest } from "../../domain/shared/paging.ts";
import { invalid } from "../../errors.ts";
import { notifyChange } from "../changes/feed.ts";
import type { Database } from "../database/database.ts";
import { withNulls, withoutNulls } from "../database/rows.ts";
import { exportFiles } from "../exports/tables.ts";
import type { BatchOutbox } from "./outbox.ts";
import { batches, batchItems } from "./tables.ts";

type ItemRow = typeof batchItems.$inferSelect;

export const toItem = ({ projectId: _, ...row }: ItemRow): BatchItem => withoutNulls(row);

const rowsAtOnce = 500;

const replaced = (column: string) => sql.raw(`excluded.${column}`);

/** Adds checked films. Of those that are there, the failed and the invalid ones get the new check; the others stay. */
export async function addItems(
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

/** The first film, then the one with the longest texts, then the one with the lowest identity. */
export async function markPreview(db: Database, batchId: string): Promise<void> {
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

export async function findItem(db: Database, batchId: string, itemId: string): Promise<BatchItem | undefined> {
  if (!isId("item", itemId)) return undefined;
  const [row] = await db.select().from(batchItems).where(isItem(batchId, itemId));
  return row && toItem(row);
}

export async function changeItem(
  db: Database,
  outbox: BatchOutbox,
  { id: batchId, attempt }: Parameters<BatchStore["changeItem"]>[0],
  itemId: string,
  changes: ItemChanges,
): Promise<BatchItem | undefined> {
  await outbox.ready();
  return await db.transaction(async (transaction) => {
    // the batch before its films, as all transactions lock them
    const [batch] = await noteChange(transaction, batchId, attempt);
    if (!batch) return undefined;
    const [row] = await transaction.update(batchItems).set(changes).where(isItem(batchId, itemId)).returning();
    if (!row) return undefined;
    const item = toItem(row);
    await outbox.enqueueFilm(transaction, withoutNulls(batch), item, changes);
    return item;
  });
}

export async function nameFilm(
  db: Database,
  batchId: string,
  of: Pick<BatchItem, "row" | "language">,
  filmId: string,
): Promise<string> {
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
}

/** For those who follow the batch. */
const noteChange = (transaction: Database, batchId: string, attempt: number | undefined) => {
  const { userId, projectId, updatedAt, webhook, order } = batches;
  return transaction
    .update(batches)
    .set({ revision: sql`${batches.revision} + 1`, updatedAt: Date.now() })
    .where(and(eq(batches.id, batchId), attempt === undefined ? undefined : eq(batches.attempt, attempt)))
    .returning({ userId, projectId, updatedAt, webhook, order, notified });
};

export const notified = notifyChange(batches.id, "status");

/** An export that its owner has removed has no file. */
export async function listVideos(
  db: Database,
  batchId: string,
  approval: BatchItem["approval"] | undefined,
): Promise<readonly BatchVideo[]> {
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
}

/** By place, which is the cursor. */
export async function listItems(
  db: Database,
  batchId: string,
  { status, approval }: ItemFilter,
  { limit, after }: PageRequest,
): Promise<Page<BatchItem>> {
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
}

function placeOf(cursor: string): number {
  if (/^\d{1,9}$/.test(cursor)) return Number(cursor);
  throw invalid("cursor", "Must be one that this list returned.");
}
