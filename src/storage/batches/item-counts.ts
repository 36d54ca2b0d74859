import { inArray } from "drizzle-orm";
import type { BatchItem, ItemCounts } from "../../domain/batches/batch.ts";
import type { Database } from "../database/database.ts";
import { batchCounts } from "../tables/batches.ts";

const noItems: ItemCounts & { frames: number } = {
  ...{ invalid: 0, waiting: 0, running: 0, done: 0, unchanged: 0, error: 0, cancelled: 0, frames: 0 },
};

export async function readCounts(db: Database, batchIds: readonly string[]) {
  if (batchIds.length === 0) return new Map<string, ReturnType<typeof countsOf>>();
  const { batchId, status, films, frames } = batchCounts;
  const rows = await db
    .select({ batchId, status, count: films, frames })
    .from(batchCounts)
    .where(inArray(batchId, [...batchIds]));
  const byBatch = Map.groupBy(rows, ({ batchId }) => batchId);
  return new Map([...byBatch].map(([batchId, counted]) => [batchId, countsOf(counted)]));
}

type CountedStatus = { readonly status: BatchItem["status"]; readonly count: number; readonly frames: number };

const countsOf = (rows: readonly CountedStatus[]): ItemCounts & { readonly frames: number } => ({
  ...noItems,
  ...Object.fromEntries(rows.map(({ status, count }) => [status, count])),
  frames: rows.find(({ status }) => status === "waiting")?.frames ?? 0,
});
