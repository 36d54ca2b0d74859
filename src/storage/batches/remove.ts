import { and, eq, inArray, isNotNull } from "drizzle-orm";
import type { Batch } from "../../domain/batches/batch.ts";
import type { Database } from "../database/database.ts";
import { deleteJobs } from "../exports/job-rows.ts";
import { batches, batchItems } from "../tables/batches.ts";
import { spendTotals, upstreamCalls } from "../tables/ledger.ts";
import { notified } from "./items.ts";
import { isBatch } from "./rows.ts";

const removedAtOnce = 200;

/** Exports that another batch also uses stay. */
export async function removeBatch(transaction: Database, batch: Pick<Batch, "id" | "projectId">) {
  const isSum = and(eq(spendTotals.scope, "batch"), eq(spendTotals.scopeId, batch.id));
  // sums first, as where calls begin and end
  await transaction.select({ scope: spendTotals.scope }).from(spendTotals).where(isSum).for("update");
  const [found] = await transaction.select({ id: batches.id }).from(batches).where(isBatch(batch)).for("update");
  if (!found) return { isGone: true, fileKeys: [] };
  const rows = await transaction
    .select({ id: batchItems.id, exportId: batchItems.exportId })
    .from(batchItems)
    .where(and(eq(batchItems.batchId, batch.id), isNotNull(batchItems.exportId)))
    .limit(removedAtOnce);
  await transaction.delete(batchItems).where(
    inArray(
      batchItems.id,
      rows.map(({ id }) => id),
    ),
  );
  const exportIds = [...new Set(rows.flatMap(({ exportId }) => exportId ?? []))];
  const isUsed = inArray(batchItems.exportId, exportIds);
  const used = await transaction.select({ exportId: batchItems.exportId }).from(batchItems).where(isUsed);
  const usedIds = new Set(used.map(({ exportId }) => exportId));
  const fileKeys = await deleteJobs(
    transaction,
    exportIds.filter((id) => !usedIds.has(id)),
  );
  const isGone = rows.length < removedAtOnce;
  if (isGone) {
    await transaction.delete(spendTotals).where(isSum);
    await transaction.delete(batches).where(eq(batches.id, batch.id)).returning({ notified });
    await transaction.update(upstreamCalls).set({ batchId: null }).where(eq(upstreamCalls.batchId, batch.id));
  }
  return { isGone, fileKeys };
}
