import { setTimeout as sleep } from "node:timers/promises";
import { DomainError, isDomainError, isUnavailable } from "../../errors.ts";
import { RetryAfterError } from "../../platform/retry-after.ts";
import type { UserStore } from "../accounts/users.ts";
import type { AssetPorts } from "../assets/assets.ts";
import { type FollowExportPorts, followExport } from "../exports/changes.ts";
import {
  type ExportState,
  type ExportStore,
  hasEnded as exportHasEnded,
  failureOf,
  newExportId,
  newExportJob,
} from "../exports/jobs.ts";
import type { Fetcher } from "../files/fetcher.ts";
import type { FileStore } from "../files/file-store.ts";
import { type LeasePorts, outageProofLeaseMs, takeLease } from "../shared/leases.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import type { WorkStore } from "../works/works.ts";
import { type Batch, type BatchItem, type BatchStore, type BatchWait, callerOf, filmCount, resumed } from "./batch.ts";
import { type CheckPorts, checkRows, startCheck } from "./check.ts";
import { rateOf, rowsAtOnce } from "./order.ts";
import { fetchedPictures } from "./pictures.ts";
import { inBatchSpan } from "./telemetry.ts";

export type AdvancePorts = CheckPorts &
  AssetPorts &
  FollowExportPorts &
  LeasePorts & {
    readonly batches: BatchStore;
    readonly exports: Pick<ExportStore, "add" | "findState" | "remove">;
    readonly users: Pick<UserStore, "find">;
    readonly works: Pick<WorkStore, "find">;
    readonly fetcher: Pick<Fetcher, "download">;
    readonly telemetry: Telemetry;
  };

type LogError = (error: unknown) => void;

/** A batch that was cancelled or changed is noticed so often. */
const lookEveryMs = 2_000;

/** A batch that waits for room looks for it so often. */
const roomSeconds = 60;

/**
 * Job handler: brings a batch as far as it gets, from its rows alone. `signal` aborts when this process stops; the
 * handler then throws, and another one goes on. Throws RetryAfterError to be called again after a while.
 */
export async function advanceBatch(
  ports: AdvancePorts,
  batchId: string,
  signal: AbortSignal,
  logError: LogError = () => {},
): Promise<void> {
  const lease = await takeLease(ports, [`batch/${batchId}`], { leaseMs: outageProofLeaseMs });
  if (!lease) throw new RetryAfterError("The batch is being advanced.", 1);
  try {
    const batch = await ports.batches.acquire(batchId);
    const user = batch && (await ports.users.find(batch.userId));
    if (!batch || !user) return;
    const run = new BatchRun(ports, batch, callerOf(user, batch), signal, logError);
    const mayRender =
      batch.status !== "validating" || (await inBatchSpan(ports.telemetry, batch, "check", () => run.check()));
    if (mayRender) await run.render();
  } finally {
    await lease.release();
  }
}

type Halt = { readonly waitingFor: BatchWait; readonly reason: string; readonly retryAfterSeconds: number };

/** One attempt at a batch. */
class BatchRun {
  readonly #ports: AdvancePorts;
  readonly #batch: Batch;
  readonly #caller: ReturnType<typeof callerOf>;
  readonly #signal: AbortSignal;
  readonly #logError: LogError;
  #halt: Halt | undefined;

  constructor(
    ports: AdvancePorts,
    batch: Batch,
    caller: ReturnType<typeof callerOf>,
    signal: AbortSignal,
    logError: LogError,
  ) {
    this.#ports = ports;
    this.#batch = batch;
    this.#caller = caller;
    this.#signal = signal;
    this.#logError = logError;
  }

  /** Checks the rows that are left. False if the batch does not go on. */
  async check(): Promise<boolean> {
    const { batches, works } = this.#ports;
    const { id, projectId, workId, order, recheck } = this.#batch;
    const [work, bases] = await Promise.all([works.find(projectId, workId), batches.bases(id)]);
    if (!work) {
      const failure = { status: "error" as const, waitingReason: "The work was removed.", endedAt: Date.now() };
      await this.#change((found) => ({ ...found, ...failure }));
      return false;
    }
    const check = startCheck({
      ...{ ports: this.#ports, caller: this.#caller, work, order, bases },
      pictures: fetchedPictures(this.#ports, projectId, { owner: this.#caller.user.id, signal: this.#signal }),
    });
    let { checked } = this.#batch;
    for (;;) {
      this.#signal.throwIfAborted();
      const read = await batches.rows(id, checked + 1, rowsAtOnce);
      const last = read.at(-1);
      if (!last) break;
      const rows = recheck ? read.filter(({ row }) => recheck.includes(row)) : read;
      const items = rows.length > 0 ? await checkRows(check, rows).catch((error) => this.#noRoom(error)) : [];
      checked = last.row;
      if (!(await batches.addChecked(this.#batch, items, { checked }))) return false;
    }
    await batches.endCheck(this.#batch);
    const counts = (await batches.counts([id])).get(id);
    const seconds = (counts?.frames ?? 0) / rateOf(bases[0]!);
    const changed = await this.#change(({ recheck: _, ...found }) => ({ ...found, status: "running", seconds }));
    return changed !== undefined;
  }

  /** There is no room for the pictures of the next rows: the check goes on with them later. */
  async #noRoom(error: unknown): Promise<never> {
    const halt = haltOf(error);
    if (halt) await this.#waitFor(halt);
    throw error;
  }

  /** Throws RetryAfterError. */
  async #waitFor({ waitingFor, reason: waitingReason, retryAfterSeconds }: Halt): Promise<never> {
    await this.#change((found) => ({ ...resumed(found), status: "waiting", waitingFor, waitingReason }));
    throw new RetryAfterError("The batch waits for room.", retryAfterSeconds);
  }

  /** Renders films, a few at once, until none can begin. */
  async render(): Promise<void> {
    const { batches } = this.#ports;
    const running = new Map<string, Promise<void>>();
    const ended = new AbortController();
    const signal = AbortSignal.any([this.#signal, ended.signal]);
    const failures: unknown[] = [];
    const start = (item: BatchItem) => {
      const run = inBatchSpan(this.#ports.telemetry, this.#batch, "film", () => this.#makeItem(item, signal))
        .catch((error) => void failures.push(error))
        .finally(() => running.delete(item.id));
      running.set(item.id, run);
    };
    try {
      for (;;) {
        this.#signal.throwIfAborted();
        const batch = await batches.load(this.#batch);
        if (!batch) return;
        if (failures.length > 0) throw failures[0];
        const free = batch.order.concurrency - running.size;
        const next = free > 0 && !this.#halt ? await this.#next(batch, free, running) : [];
        for (const item of next) start(item);
        if (running.size === 0) return await this.#rest(batch);
        // a film that ends makes room for the next one
        await Promise.race([...running.values(), sleep(lookEveryMs, undefined, { signal }).catch(() => {})]);
      }
    } finally {
      ended.abort();
      await Promise.allSettled(running.values());
    }
  }

  /** Films that run already, as an earlier process left them, and then those that wait. */
  async #next(batch: Batch, free: number, running: ReadonlyMap<string, unknown>): Promise<readonly BatchItem[]> {
    const { batches } = this.#ports;
    const max = batch.order.concurrency;
    const left = (await batches.itemsWith(batch.id, "running", max, false)).filter(({ id }) => !running.has(id));
    if (left.length > 0 || (await this.#isStopped(batch))) return left.slice(0, free);
    const onlyPreview = batch.order.stopAt.includes("preview") && !batch.approved.includes("preview");
    return await batches.itemsWith(batch.id, "waiting", free, onlyPreview);
  }

  async #isStopped({ id, order }: Batch): Promise<boolean> {
    return order.onError === "stop" && ((await this.#ports.batches.counts([id])).get(id)?.error ?? 0) > 0;
  }

  /** Records what the batch waits for, or its end. */
  async #rest(batch: Batch): Promise<void> {
    const { batches } = this.#ports;
    if (this.#halt) await this.#waitFor(this.#halt);
    if (await this.#isStopped(batch)) await batches.cancelItems(batch.id, ["waiting"]);
    const counts = (await batches.counts([batch.id])).get(batch.id);
    if ((counts?.waiting ?? 0) > 0) {
      const waitingReason = "Look at the films of the preview, and approve the batch to make the others.";
      await this.#change((found) => ({
        ...{ ...resumed(found), status: "waiting", waitingFor: "approval", waitingAt: "preview", waitingReason },
      }));
      return;
    }
    const made = (counts?.done ?? 0) + (counts?.unchanged ?? 0);
    const status = made === filmCount(batch) ? "done" : made > 0 ? "partial" : "error";
    await this.#change((found) => ({ ...resumed(found), status, endedAt: Date.now() }));
  }

  #change(edit: (found: Batch) => Batch): Promise<Batch | undefined> {
    const { id, projectId, attempt } = this.#batch;
    return this.#ports.batches.change({ id, projectId, attempt }, edit);
  }

  /** Makes a film, or takes one with the same content that was made meanwhile. */
  async #makeItem(item: BatchItem, signal: AbortSignal): Promise<void> {
    const { batches } = this.#ports;
    const { projectId, order } = this.#batch;
    const { identity } = item;
    if (item.status === "waiting" && identity !== undefined && !order.force) {
      const same = (await batches.findSame(projectId, [identity])).get(identity);
      if (same) {
        const { exportId, sha256, sizeBytes } = same;
        await batches.changeItem(this.#batch, item.id, { status: "unchanged", exportId, sha256, sizeBytes });
        return;
      }
    }
    try {
      const state = await this.#beginExport(item);
      if (state) await this.#followItem(item, state, signal);
    } catch (error) {
      if (signal.aborted || isUnavailable(error)) throw error;
      if (!isDomainError(error)) this.#logError(error);
      await batches.changeItem(this.#batch, item.id, { status: "error", failure: failureOf(error) });
    }
  }

  /** The id is stored first, so that another process finds the export, or begins it under the same id. */
  async #beginExport(item: BatchItem): Promise<ExportState | undefined> {
    const { batches, exports } = this.#ports;
    const exportId = item.exportId ?? newExportId();
    const found = item.exportId ? await exports.findState(this.#batch.userId, exportId) : undefined;
    if (found) return found;
    if (!(await batches.changeItem(this.#batch, item.id, { status: "running", exportId }))) return undefined;
    const job = await this.#exportOf(item, exportId);
    try {
      await exports.add(job);
      // a cancellation or a removal that came before did not find the export
      if ((await batches.findItem(this.#batch.id, item.id))?.status === "running") return job;
      await exports.remove(this.#batch.userId, exportId, Date.now());
      return undefined;
    } catch (error) {
      const halt = haltOf(error);
      if (!halt) throw error;
      this.#halt = halt;
      await batches.changeItem(this.#batch, item.id, { status: "waiting" });
      return undefined;
    }
  }

  async #exportOf({ language, target, values, frames, fileName }: BatchItem, id: string) {
    const { batches, works } = this.#ports;
    const { projectId, workId, id: batchId } = this.#batch;
    const [work, bases] = await Promise.all([works.find(projectId, workId), batches.bases(batchId)]);
    const base = bases.find((each) => each.language === language) ?? bases[0];
    if (!work || !base) throw new DomainError("not_found", {});
    const { captions, options } = base.request;
    const { targets: _, ...settings } = options ?? {};
    const request = {
      ...{ projectId, workId, row: { batchId, language: base.language, values } },
      ...(captions && { captions }),
      options: { ...settings, ...(target !== "" && { targets: [target] }) },
    };
    const named = { ...work, name: fileName.replace(/\.mp4$/, "") };
    const caller = this.#caller;
    return newExportJob({ id, caller, work: named, request, frames, warnings: [], batchId, retentionMs: keptMs });
  }

  async #followItem(item: BatchItem, first: ExportState, signal: AbortSignal): Promise<void> {
    const { batches, files } = this.#ports;
    let last = first;
    for await (const state of followExport(this.#ports, first, signal, "status")) last = state;
    signal.throwIfAborted();
    const [file] = last.files;
    if (last.status === "done" && file) {
      const sha256 = await sha256Of(files, file);
      await batches.changeItem(this.#batch, item.id, { status: "done", sha256, sizeBytes: file.sizeBytes });
      return;
    }
    // removed or cancelled by its owner
    const status = exportHasEnded(last) && last.failure ? "error" : "cancelled";
    await batches.changeItem(this.#batch, item.id, { status, ...(last.failure && { failure: last.failure }) });
  }
}

/** A film's video stays until its batches are removed. */
const keptMs = 100 * 366 * 86_400_000;

function haltOf(error: unknown): Halt | undefined {
  if (!isDomainError(error)) return undefined;
  const { code, facts, message: reason } = error;
  if (code === "rate_limited") {
    return {
      waitingFor: "exports",
      reason,
      retryAfterSeconds: (facts as { retryAfterSeconds: number }).retryAfterSeconds,
    };
  }
  if (code !== "limit_reached" && code !== "storage_full") return undefined;
  return { waitingFor: "storage", reason, retryAfterSeconds: roomSeconds };
}

async function sha256Of({ read }: Pick<FileStore, "read">, { key, sizeBytes }: ExportState["files"][number]) {
  const hash = new Bun.CryptoHasher("sha256");
  for await (const chunk of await read({ key, sizeBytes }, 0, sizeBytes)) hash.update(chunk);
  return hash.digest("hex");
}
