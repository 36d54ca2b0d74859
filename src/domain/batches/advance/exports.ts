import type { FileStore } from "../../../engine/ports.ts";
import { DomainError } from "../../../errors.ts";
import type { Caller } from "../../accounts/caller.ts";
import type { DeliveryStore } from "../../destinations/deliveries.ts";
import {
  type ExportState,
  type ExportStore,
  errorOf,
  hasEnded as exportHasEnded,
  type FollowExportPorts,
  followExport,
  newExportId,
  newExportJob,
} from "../../exports/lifecycle/jobs.ts";
import { sha256OfFile } from "../../files/file-store.ts";
import type { WorkStore } from "../../works/works.ts";
import type { Batch, BatchBase, BatchItem, BatchStore } from "../batch.ts";
import { deliverItem } from "../deliver.ts";
import { extensionOf } from "../file-names.ts";
import { exportWaitFor, type Halt } from "../waits.ts";

export type BatchExportPorts = FollowExportPorts & {
  readonly batches: Pick<BatchStore, "bases" | "changeItem" | "findItem" | "rows">;
  readonly exports: Pick<ExportStore, "add" | "findState" | "remove">;
  readonly deliveries: Pick<DeliveryStore, "queue">;
  readonly works: Pick<WorkStore, "find">;
  readonly files: Pick<FileStore, "read">;
};

type Orderer = { readonly batch: Batch; readonly caller: Caller };

/** Makes the film of an item over the work of its batch. Returns an obstacle that other items share. */
export type MakeExport = (item: BatchItem, signal: AbortSignal) => Promise<Halt | undefined>;

/** A film's video is kept until its batches are removed. */
const keptMs = 100 * 366 * 86_400_000;

export function batchExports(ports: BatchExportPorts, { batch, caller }: Orderer): MakeExport {
  const { batches, exports, works, files } = ports;

  const mark = (item: BatchItem, changes: Parameters<BatchStore["changeItem"]>[2]) =>
    batches.changeItem(batch, item.id, changes);

  let bases: Promise<readonly BatchBase[]> | undefined;

  const jobOf = async ({ language, target, values, frames, fileName }: BatchItem, id: string) => {
    const { projectId, workId = "", id: batchId } = batch;
    bases ??= batches.bases(batchId);
    const [work, [first, ...others]] = await Promise.all([works.find(projectId, workId), bases]);
    const base = others.find((each) => each.language === language) ?? first;
    if (!work || !base || "film" in base.request) throw new DomainError("not_found", {});
    const { captions, options } = base.request;
    const { targets: _, ...settings } = options ?? {};
    const request = {
      ...{ projectId, workId, row: { batchId, language: base.language, values } },
      ...(captions && { captions }),
      options: { ...settings, ...(target !== "" && { targets: [target] }) },
    };
    const named = { ...work, name: fileName.slice(0, -extensionOf(batch.order).length) };
    return newExportJob({ id, caller, work: named, request, frames, warnings: [], batchId, retentionMs: keptMs });
  };

  /** Stores the id first, so that another process finds the export, or begins it under the same id. */
  const begin = async (item: BatchItem): Promise<ExportState | Halt | undefined> => {
    const exportId = item.exportId ?? newExportId();
    const found = item.exportId ? await exports.findState(batch.userId, exportId) : undefined;
    if (found) return found;
    if (!(await mark(item, { status: "running", exportId }))) return undefined;
    const job = await jobOf(item, exportId);
    try {
      await exports.add(job);
      // an earlier cancellation or removal did not find the export
      if ((await batches.findItem(batch.id, item.id))?.status === "running") return job;
      await exports.remove(batch.userId, exportId, Date.now());
      return undefined;
    } catch (error) {
      const halt = exportWaitFor(error);
      if (!halt) throw error;
      await mark(item, { status: "waiting" });
      return halt;
    }
  };

  return async (item, signal) => {
    const begun = await begin(item);
    if (!begun || "waitingFor" in begun) return begun;
    let last = begun;
    for await (const state of followExport(ports, begun, signal, "status")) last = state;
    signal.throwIfAborted();
    const [file] = last.files;
    if (last.status === "done" && file) {
      const sha256 = await sha256OfFile(files, file);
      await deliverItem(ports, batch, { ...item, exportId: last.id });
      await mark(item, { status: "done", sha256, sizeBytes: file.sizeBytes });
      return undefined;
    }
    const halt = last.failure && exportWaitFor(errorOf(last.failure));
    if (halt) {
      // a new export takes its id
      await exports.remove(batch.userId, last.id, Date.now());
      await mark(item, { status: "waiting" });
      return halt;
    }
    // its owner removed or cancelled it
    const status = exportHasEnded(last) && last.failure ? "error" : "cancelled";
    await mark(item, { status, ...(last.failure && { failure: last.failure }) });
    return undefined;
  };
}
