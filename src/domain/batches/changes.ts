import { DomainError } from "../../errors.ts";
import type { ExportStore } from "../exports/jobs.ts";
import type { FileStore } from "../files/file-store.ts";
import { requireFound } from "../shared/versioned.ts";
import { type Approval, type Batch, type BatchItem, type BatchStore, hasEnded, resumed } from "./batch.ts";

type BatchPorts = { readonly batches: BatchStore };

/** Without the attempt: what a user changes holds in the next one too. */
const keyOf = ({ id, projectId }: Batch) => ({ id, projectId });

const notWaiting = () => new DomainError("not_waiting", {});

/** Goes on from the wait for an approval. Throws not_waiting. */
export async function approveBatch({ batches }: BatchPorts, batch: Batch): Promise<Batch> {
  const changed = await batches.change(
    keyOf(batch),
    (found) => {
      const { status, waitingFor, waitingAt } = found;
      if (status !== "waiting" || waitingFor !== "approval" || !waitingAt) throw notWaiting();
      return { ...resumed(found), status: "running", approved: [...found.approved, waitingAt] };
    },
    { wake: true },
  );
  return requireFound(changed);
}

/** Checks and makes the failed and the invalid films anew. Throws not_waiting while the batch runs, or without any. */
export async function retryBatch({ batches }: BatchPorts, batch: Batch): Promise<Batch> {
  if (batch.status !== "partial" && batch.status !== "error") throw notWaiting();
  const recheck = await batches.reopen(batch.id);
  if (recheck.length === 0) throw notWaiting();
  const changed = await batches.change(
    keyOf(batch),
    ({ endedAt: _, ...found }) => ({ ...resumed(found), status: "validating", recheck, checked: 0 }),
    { wake: true },
  );
  return requireFound(changed);
}

/** A mark for people: it renders and removes nothing. */
export const markItem = async (
  { batches }: BatchPorts,
  { batchId, id }: BatchItem,
  approval: Approval,
  note: string | undefined,
): Promise<BatchItem> =>
  requireFound(await batches.changeItem({ id: batchId }, id, { approval, ...(note !== undefined && { note }) }));

type CancelPorts = BatchPorts & { readonly exports: Pick<ExportStore, "cancel"> };

/** Cancels what runs; what is made stays. Once more: the same answer. */
export async function cancelBatch({ batches, exports }: CancelPorts, batch: Batch): Promise<Batch> {
  if (hasEnded(batch)) return batch;
  const now = Date.now();
  const changed = await batches.change(keyOf(batch), (found) =>
    hasEnded(found) ? found : { ...resumed(found), status: "cancelled", endedAt: now, attempt: found.attempt + 1 },
  );
  const runningExports = await batches.runningExports(batch.id);
  await batches.cancelItems(batch.id, ["waiting", "running"]);
  for (const exportId of runningExports) await exports.cancel(exportId, now);
  return requireFound(changed);
}

/** Cancels a batch and removes it with its files, except for those that another batch has, too. */
export async function removeBatch(
  ports: CancelPorts & { readonly files: Pick<FileStore, "remove"> },
  batch: Batch,
): Promise<void> {
  await cancelBatch(ports, batch);
  for (;;) {
    const { isGone, fileKeys } = await ports.batches.remove(batch);
    await ports.files.remove(fileKeys);
    if (isGone) return;
  }
}
