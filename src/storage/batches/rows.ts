import { and, eq } from "drizzle-orm";
import type { Batch } from "../../domain/batches/batch.ts";
import { withoutNulls } from "../database/rows.ts";
import { batches } from "./tables.ts";

export type BatchRow = typeof batches.$inferSelect;

export const isBatch = ({ id, projectId }: Pick<Batch, "id" | "projectId">) =>
  and(eq(batches.id, id), eq(batches.projectId, projectId));

export const toRow = ({ maxSpend, ...batch }: Batch): Omit<BatchRow, "tableBytes"> => ({
  ...batch,
  workId: batch.workId ?? null,
  maxSpend: maxSpend === undefined ? null : Number(maxSpend),
  estimate: batch.estimate ?? null,
  recheck: batch.recheck ?? null,
  waitingFor: batch.waitingFor ?? null,
  waitingReason: batch.waitingReason ?? null,
  waitingAt: batch.waitingAt ?? null,
  endedAt: batch.endedAt ?? null,
  webhook: batch.webhook ?? null,
  traceparent: batch.traceparent ?? null,
});

export function toBatch({ tableBytes: _, maxSpend, ...row }: BatchRow): Batch {
  return { ...withoutNulls(row), ...(maxSpend !== null && { maxSpend: BigInt(maxSpend) }) };
}
