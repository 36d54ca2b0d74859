import { setTimeout as sleep } from "node:timers/promises";
import { isDomainError, isUnavailable } from "../../../errors.ts";
import { failureOf } from "../../exports/lifecycle/jobs.ts";
import type { ExportWorker } from "../../exports/lifecycle/retry.ts";
import type { ProjectStore } from "../../projects/projects.ts";
import type { Telemetry } from "../../telemetry/telemetry.ts";
import { type Batch, type BatchItem, type BatchStore, filmCount, resumed } from "../batch.ts";
import { deliverUnchanged } from "../deliver.ts";
import type { Halt } from "../waits.ts";
import { type Attempt, changeBatch, halt, inBatchSpan, type LogError } from "./attempt.ts";
import { type BatchExportPorts, batchExports, type MakeExport } from "./exports.ts";
import { type BatchFilmPorts, type BatchFilms, batchFilms } from "./films.ts";

export type MakeFilmsPorts = BatchExportPorts &
  BatchFilmPorts & {
    readonly batches: BatchStore;
    readonly exportWorker: Pick<ExportWorker, "awaited">;
    readonly projects: Pick<ProjectStore, "find">;
    readonly telemetry: Telemetry;
  };

/** The interval in which a cancelled or changed batch is noticed. */
const pollEveryMs = 2_000;

/** Makes the films of a validated table, a few concurrently, until none can begin. */
export const makeFilms = (ports: MakeFilmsPorts, attempt: Attempt, logError: LogError): Promise<void> =>
  new BatchRun(ports, attempt, logError).run();

const stopsAtPreview = ({ order, approved }: Batch): boolean =>
  order.stopAt.includes("preview") && !approved.includes("preview");

class BatchRun {
  readonly #ports: MakeFilmsPorts;
  readonly #attempt: Attempt;
  readonly #batch: Batch;
  readonly #logError: LogError;
  /** The identities of the films being made. */
  readonly #identities = new Map<string, string>();
  readonly #films: BatchFilms;
  readonly #makeExport: MakeExport;
  #halt: Halt | undefined;
  /** True if an earlier process may have left running films. */
  #mayBeLeft = true;

  constructor(ports: MakeFilmsPorts, attempt: Attempt, logError: LogError) {
    this.#ports = ports;
    this.#attempt = attempt;
    this.#batch = attempt.batch;
    this.#films = batchFilms(ports, attempt);
    this.#makeExport = batchExports(ports, attempt);
    this.#logError = logError;
  }

  async run(): Promise<void> {
    const { batches } = this.#ports;
    const running = new Map<string, Promise<void>>();
    const ended = new AbortController();
    const signal = AbortSignal.any([this.#attempt.signal, ended.signal]);
    const failures: unknown[] = [];
    const start = (item: BatchItem) => {
      const run = inBatchSpan(this.#ports.telemetry, this.#batch, "film", () => this.#make(item, signal))
        .catch((error) => void failures.push(error))
        .finally(() => {
          running.delete(item.id);
          this.#identities.delete(item.id);
        });
      running.set(item.id, run);
      if (item.identity !== undefined) this.#identities.set(item.id, item.identity);
    };
    try {
      for (;;) {
        this.#attempt.signal.throwIfAborted();
        const batch = await batches.load(this.#batch);
        if (!batch) return;
        if (failures.length > 0) throw failures[0];
        const free = this.#filmsAtOnce(batch) - running.size;
        const next = free > 0 && !this.#halt ? await this.#next(batch, free, running) : [];
        for (const item of next) start(item);
        if (running.size === 0) {
          if (await this.#rest(batch)) return;
          continue;
        }
        // each ended film frees a slot
        await Promise.race([...running.values(), sleep(pollEveryMs, undefined, { signal }).catch(() => {})]);
      }
    } finally {
      ended.abort();
      await Promise.allSettled(running.values());
    }
  }

  /** One beside an export that a person waits for: on a small machine, all share the thread that stores results. */
  #filmsAtOnce({ workId, order }: Batch): number {
    return workId !== undefined && this.#ports.exportWorker.awaited.size > 0 ? 1 : order.concurrency;
  }

  /** The films that an earlier process left running, then waiting ones. */
  async #next(batch: Batch, free: number, running: ReadonlyMap<string, unknown>): Promise<readonly BatchItem[]> {
    const { batches } = this.#ports;
    const max = batch.order.concurrency;
    const left = this.#mayBeLeft
      ? (await batches.itemsWith(batch.id, "running", max, false)).filter(({ id }) => !running.has(id))
      : [];
    this.#mayBeLeft = left.length > free;
    if (left.length > 0 || (await this.#isStopped(batch))) return left.slice(0, free);
    const waiting = await batches.itemsWith(batch.id, "waiting", max, stopsAtPreview(batch));
    return this.#differing(waiting.filter(({ id }) => !running.has(id))).slice(0, free);
  }

  /** Makes only one of several films with the same content; the others then reuse its file. */
  #differing(items: readonly BatchItem[]): readonly BatchItem[] {
    if (this.#batch.order.force) return items;
    const made = new Set(this.#identities.values());
    return items.filter(({ identity = "" }) => !made.has(identity) && made.add(identity));
  }

  async #isStopped({ id, order }: Batch): Promise<boolean> {
    return order.onError === "stop" && ((await this.#ports.batches.counts([id])).get(id)?.error ?? 0) > 0;
  }

  /** Records what the batch waits for, or its end. False if a film can begin after all. */
  async #rest(batch: Batch): Promise<boolean> {
    const { batches } = this.#ports;
    if (this.#halt) await halt(this.#ports, this.#attempt, this.#halt);
    const isStopped = await this.#isStopped(batch);
    if (isStopped) await batches.cancelItems(batch.id, ["waiting"]);
    const counts = (await batches.counts([batch.id])).get(batch.id);
    const rest = (changes: Partial<Batch>) =>
      changeBatch(this.#ports, this.#attempt, (found) => ({ ...resumed(found), ...changes }));
    const areLeft = (counts?.waiting ?? 0) > 0;
    if (areLeft) {
      const wait = await this.#films.wait();
      if (wait) {
        await rest({ status: "waiting", ...wait });
        return true;
      }
      // a film may have resumed since the last poll
      if (!stopsAtPreview(batch) || (await this.#next(batch, 1, new Map())).length > 0) return false;
    }
    // a small table is its own preview
    if (areLeft || (!isStopped && stopsAtPreview(batch) && (counts?.done ?? 0) > 0)) {
      const waitingReason = "Look at the films of the preview, and approve the batch to make the others.";
      await rest({ status: "waiting", waitingFor: "approval", waitingAt: "preview", waitingReason });
      return true;
    }
    await deliverUnchanged(this.#ports, batch);
    const made = (counts?.done ?? 0) + (counts?.unchanged ?? 0);
    const status = made === filmCount(batch) ? "done" : made > 0 ? "partial" : "error";
    await rest({ status, endedAt: Date.now() });
    return true;
  }

  /** Makes a film, or reuses one with the same content that was made meanwhile. */
  async #make(item: BatchItem, signal: AbortSignal): Promise<void> {
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
      const make = this.#batch.workId === undefined ? this.#films.make : this.#makeExport;
      const found = await make(item, signal);
      this.#halt ??= found;
    } catch (error) {
      if (signal.aborted || isUnavailable(error)) throw error;
      if (!isDomainError(error)) this.#logError(error);
      await batches.changeItem(this.#batch, item.id, { status: "error", failure: failureOf(error) });
    }
  }
}
