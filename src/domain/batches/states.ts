import { type ChangeFilter, followStates, type States } from "../shared/changes.ts";
import { type Batch, hasEnded, type ItemCounts } from "./batch.ts";
import type { BatchSpend } from "./view.ts";

export type BatchState = Batch & { readonly counts: ItemCounts | undefined; readonly spend: BatchSpend };

export type BatchStates = States<Pick<Batch, "id" | "projectId">, BatchState>;

export const followBatch = (
  { batchStates }: { readonly batchStates: BatchStates },
  current: BatchState,
  signal: AbortSignal,
  filter: ChangeFilter = "all",
): AsyncGenerator<BatchState> => followStates<BatchState>(batchStates, current, { hasEnded, signal, filter });
