import { eq } from "drizzle-orm";
import type { Batch, BatchBase } from "../../domain/batches/batch.ts";
import type { TableRow } from "../../domain/batches/rows.ts";
import type { SealedKeys } from "../../domain/films/film.ts";
import type { Database } from "../database/database.ts";
import { requireRoomLeft, type UserLimits } from "../database/storage-usage.ts";
import type { Queues } from "../exports/outbox.ts";
import { batchBases, batches, batchKeys, batchRows } from "../tables/batches.ts";
import { toRow } from "./rows.ts";

const rowsAtOnce = 500;

type NewBatchRows = {
  readonly bases: readonly BatchBase[];
  readonly rows: readonly TableRow[];
  readonly keys: SealedKeys;
};

export async function addBatch(
  db: Database,
  queues: Queues,
  { maxUserBytes }: UserLimits,
  batch: Batch,
  { bases, rows, keys }: NewBatchRows,
): Promise<void> {
  await queues.ready();
  const { id: batchId, userId } = batch;
  const tableBytes = Buffer.byteLength(JSON.stringify(bases)) + Buffer.byteLength(JSON.stringify(rows));
  await db.transaction(async (transaction) => {
    if (maxUserBytes !== undefined) await requireRoomLeft(transaction, { userId, maxBytes: maxUserBytes }, tableBytes);
    if ((await transaction.$count(batches, eq(batches.id, batchId))) > 0) return;
    await transaction.insert(batches).values({ ...toRow(batch), tableBytes });
    await transaction.insert(batchBases).values(bases.map((base) => ({ batchId, ...base })));
    await putKeys(transaction, batchId, keys);
    for (let from = 0; from < rows.length; from += rowsAtOnce) {
      const part = rows.slice(from, from + rowsAtOnce).map((row) => ({ batchId, ...row }));
      await transaction.insert(batchRows).values(part);
    }
    await queues.send("batches", transaction, batchId, { group: userId });
  });
}

export async function putKeys(transaction: Database, batchId: string, keys: SealedKeys): Promise<void> {
  for (const [category, sealed] of Object.entries(keys)) {
    // safe because these are the names of the record
    const row = { batchId, category: category as keyof SealedKeys, sealed };
    await transaction
      .insert(batchKeys)
      .values(row)
      .onConflictDoUpdate({ target: [batchKeys.batchId, batchKeys.category], set: { sealed } });
  }
}
