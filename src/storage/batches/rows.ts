import { and, eq } from "drizzle-orm";
import type { Batch } from "../../domain/batches/batch.ts";
import { withNulls, withoutNulls } from "../database/rows.ts";
import { batches } from "../tables/batches.ts";

export type BatchRow = typeof batches.$inferSelect;

export const isBatch = ({ id, projectId }: Pick<Batch, "id" | "projectId">) =>
  and(eq(batches.id, id), eq(batches.projectId, projectId));

export const toRow = ({ maxSpend, ...batch }: Batch): Omit<BatchRow, "tableBytes"> =>
  withNulls(batches, { ...batch, maxSpend: maxSpend === undefined ? undefined : Number(maxSpend) });

export function toBatch({ tableBytes: _, maxSpend, ...row }: BatchRow): Batch {
  return { ...withoutNulls(row), ...(maxSpend !== null && { maxSpend: BigInt(maxSpend) }) };
}
