import { setTimeout as sleep } from "node:timers/promises";
import { DomainError, isDomainError, isUnavailable } from "../../errors.ts";
import { processStopped } from "../../platform/process-stop.ts";
import { RetryAfterError } from "../../platform/retry-after.ts";
import type { UserStore } from "../accounts/users.ts";
import type { PageReader } from "../ai/style-guide/web-pages.ts";
import type { AssetPorts } from "../assets/assets.ts";
import { type FollowExportPorts, followExport } from "../exports/changes.ts";
import {
  type ExportState,
  type ExportStore,
  errorOf,
  hasEnded as exportHasEnded,
  failureOf,
  newExportId,
  newExportJob,
} from "../exports/jobs.ts";
import type { ExportWorker } from "../exports/lifecycle/retry.ts";
import type { Fetcher } from "../files/fetcher.ts";
import type { Project, ProjectStore } from "../projects/projects.ts";
import { type LeasePorts, outageProofLeaseMs, takeLease } from "../shared/leases.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import type { WorkStore } from "../works/works.ts";
import { type Batch, type BatchItem, type BatchStore, callerOf, filmCount, resumed } from "./batch.ts";
import { type CheckedRows, checkRows, startCheck, textsOf } from "./check.ts";
import type { Check, CheckPorts } from "./checking.ts";
import { type BatchFilmPorts, type BatchFilms, batchFilms } from "./films.ts";
import { costSum, rateOf, rowsAtOnce } from "./order.ts";
import { readPages } from "./pages.ts";
import { fetchedPictures } from "./pictures.ts";
import { inBatchSpan } from "./telemetry.ts";
import { startTranslations, type TranslatePorts, type Translator, tableTranslation } from "./translations.ts";
import { sha256Of } from "./video-hash.ts";
import { exportWaitFor, type Halt, waitFor } from "./waits.ts";

export type AdvancePorts = CheckPorts &
  AssetPorts &
  FollowExportPorts &
  TranslatePorts &
  BatchFilmPorts &
  LeasePorts & {
    readonly batches: BatchStore;
    readonly exports: Pick<ExportStore, "add" | "findState" | "remove">;
    readonly exportWorker: Pick<ExportWorker, "awaited">;
    readonly users: Pick<UserStore, "find">;
    readonly projects: Pick<ProjectStore, "find">;
    readonly works: Pick<WorkStore, "find">;
    readonly fetcher: Fetcher;
    readonly pages: PageReader;
    readonly telemetry: Telemetry;
  };

type LogError = (error: unknown) => void;

/** A batch that was cancelled or changed is noticed so often. */
const lookEveryMs = 2_000;

/** Aborted when nothing is to begin here any more. */
type Draining = { readonly draining?: AbortSignal };

/**
 * Job handler: brings a batch as far as it gets, from its rows alone. `stopped` aborts when this process stops, or has
 * lost the job; the handler then throws, and another one goes on. When `draining` aborts it leaves everything but the
 * requests that a model works on: their answers are stored first. Throws RetryAfterError to be called again after a while.
 */
export async function advanceBatch(
  ports: AdvancePorts,
  batchId: string,
  stopped: AbortSignal,
  logError: LogError = () => {},
  { draining = new AbortController().signal }: Draining = {},
): Promise<void> {
  if (draining.aborted) throw leftToOthers();
  const lease = await takeLease(ports, [`batch/${batchId}`], { leaseMs: outageProofLeaseMs });
  if (!lease) throw new RetryAfterError("The batch is being advanced.", 1);
  // a call of a model that was begun is looked for by the process that goes on
  const ended = new AbortController();
  const stop = () => ended.abort(processStopped);
  stopped.addEventListener("abort", stop);
  try {
    const batch = await ports.batches.acquire(batchId);
    const user = batch && (await ports.users.find(batch.userId));
    const project = user && (await ports.projects.find(user.id, batch.projectId));
    if (!batch || !user || !project) return;
    stopped.throwIfAborted();
    const signals = { signal: AbortSignal.any([ended.signal, draining]), callSignal: ended.signal };
    const run = new BatchRun(ports, batch, callerOf(user, batch), project, { ...signals, logError });
    const mayRender =
      batch.status !== "validating" || (await inBatchSpan(ports.telemetry, batch, "check", () => run.check()));
    if (mayRender) await run.render();
  } catch (error) {
    if (error instanceof BatchWaits) return;
    throw draining.aborted && error === draining.reason ? leftToOthers() : error;
  } finally {
    stopped.removeEventListener("abort", stop);
    await lease.release();
  }
}

const leftToOthers = () => new RetryAfterError("The process stops.", 1);

/** The batch waits until somebody changes something. */
class BatchWaits extends Error {
  override readonly name = "BatchWaits";
}

const noRows: CheckedRows = { films: [], wanted: [] };

/** Rows whose texts are translated together. */
const translatedAtOnce = 100;

type RunOptions = {
  readonly signal: AbortSignal;
  /** Of requests that a model works on. */
  readonly callSignal: AbortSignal;
  readonly logError: LogError;
};

/** One attempt at a batch. */
class BatchRun {
  readonly #ports: AdvancePorts;
  readonly #batch: Batch;
  readonly #caller: ReturnType<typeof callerOf>;
  readonly #project: Project;
  readonly #signal: AbortSignal;
  readonly #callSignal: AbortSignal;
  readonly #logError: LogError;
  /** What films show that are being made. */
  readonly #identities = new Map<string, string>();
  readonly #films: BatchFilms;
  #halt: Halt | undefined;

  constructor(
    ports: AdvancePorts,
    batch: Batch,
    caller: ReturnType<typeof callerOf>,
    project: Project,
    { signal, callSignal, logError }: RunOptions,
  ) {
    this.#ports = ports;
    this.#batch = batch;
    this.#caller = caller;
    this.#project = project;
    this.#films = batchFilms(ports, { batch, caller, project });
    this.#signal = signal;
    this.#callSignal = callSignal;
    this.#logError = logError;
  }

  /** Checks the rows that are left, and lets their texts be translated. False if the batch does not go on. */
  async check(): Promise<boolean> {
    const { batches, works } = this.#ports;
    const { id, projectId, workId, order } = this.#batch;
    const [work, bases] = await Promise.all([workId && works.find(projectId, workId), batches.bases(id)]);
    if (workId && !work) {
      const failure = { status: "error" as const, waitingReason: "The work was removed.", endedAt: Date.now() };
      await this.#change((found) => ({ ...found, ...failure }));
      return false;
    }
    const fetching = { owner: this.#caller.user.id, signal: this.#signal };
    const input = {
      ...{ ports: this.#ports, caller: this.#caller, project: this.#project, order, bases, ...(work && { work }) },
      pictures: fetchedPictures(this.#ports, projectId, fetching),
      pages: readPages(this.#ports, fetching),
    };
    const translation = tableTranslation(this.#ports.models, order);
    const check = startCheck({ ...input, translation });
    if (!(await this.#checkNew(check))) return false;
    const isAsked = translation && !translation.isOver;
    const failure = isAsked ? await this.#translate(check).catch((error) => this.#wait(error)) : translation?.failure;
    const isOver = startCheck({ ...input, translation: translation && { ...translation, isOver: true, failure } });
    if (translation && !(await this.#checkTranslated(isOver))) return false;
    await batches.endCheck(this.#batch);
    const counts = (await batches.counts([id])).get(id);
    const seconds = (counts?.frames ?? 0) / rateOf(bases[0]!);
    const next = await this.#afterCheck();
    const changed = await this.#change(({ recheck: _, ...found }) => ({ ...found, ...next, seconds }));
    return changed?.status === "running";
  }

  /** The rows that were not checked before. */
  async #checkNew(check: Check): Promise<boolean> {
    const { batches } = this.#ports;
    const { id, recheck, order } = this.#batch;
    const costs = costSum(this.#ports, order);
    const { low = "0", high = "0" } = this.#batch.estimate ?? {};
    let { checked } = this.#batch;
    for (;;) {
      this.#signal.throwIfAborted();
      const read = await batches.rows(id, checked + 1, rowsAtOnce);
      const last = read.at(-1);
      if (!last) return true;
      const rows = recheck ? read.filter(({ row }) => recheck.includes(row)) : read;
      const found = rows.length > 0 ? await checkRows(check, rows).catch((error) => this.#wait(error)) : noRows;
      costs.add(found);
      checked = last.row;
      const sum = costs.sum();
      const estimate = { low: `${BigInt(low) + sum.low}`, high: `${BigInt(high) + sum.high}` };
      const items = found.films.map(({ item }) => item);
      if (!(await batches.addChecked(this.#batch, items, { checked, estimate }))) return false;
    }
  }

  /** Lets the model translate what films wait for. Returns why it has left something out. */
  async #translate(check: Check): Promise<string | undefined> {
    let translator: Translator | undefined;
    for await (const { rows, isWaiting } of this.#untranslatedRows()) {
      translator ??= await startTranslations(this.#ports, {
        ...{ batch: this.#batch, caller: this.#caller, signal: this.#callSignal, mayBegin: this.#signal },
      });
      const wanted = new Set(
        textsOf(
          check,
          rows.filter(({ row }) => check.order.languages.some((language) => isWaiting(row, language))),
        ).map(({ text, language }) => `${language} ${text}`),
      );
      await translator?.translate(textsOf(check, rows), ({ text, language }) => wanted.has(`${language} ${text}`));
    }
    return translator?.failure();
  }

  /** Once more with the texts that films show: they may not fit. */
  async #checkTranslated(check: Check): Promise<boolean> {
    const { batches } = this.#ports;
    const { rows: checked } = this.#batch;
    for await (const { rows, isWaiting } of this.#untranslatedRows()) {
      const waiting = rows.filter(({ row }) => check.order.languages.some((language) => isWaiting(row, language)));
      const { films } = await checkRows(check, waiting).catch((error) => this.#wait(error));
      const items = films.map(({ item }) => item).filter(({ row, language }) => isWaiting(row, language));
      if (!(await batches.addChecked(this.#batch, items, { checked }))) return false;
    }
    return true;
  }

  async *#untranslatedRows() {
    const { batches } = this.#ports;
    const { id, rows: count } = this.#batch;
    for (let from = 1; from <= count; from += translatedAtOnce) {
      this.#signal.throwIfAborted();
      const places = await batches.untranslated(id, from, from + translatedAtOnce - 1);
      if (places.length === 0) continue;
      const waiting = new Set(places.map(({ row, language }) => `${row} ${language}`));
      const rows = await batches.rows(id, from, translatedAtOnce);
      yield { rows, isWaiting: (row: number, language: string) => waiting.has(`${row} ${language}`) };
    }
  }

  async #afterCheck(): Promise<Partial<Batch>> {
    const { id, order, approved } = this.#batch;
    const isStop = order.stopAt.includes("translations") && !approved.includes("translations");
    if (!isStop || (await this.#ports.batches.listTranslations(id, 1)).length === 0) return { status: "running" };
    const waitingReason = "Look at the translations, and approve the batch to make the films.";
    return { status: "waiting", waitingFor: "approval", waitingAt: "translations", waitingReason };
  }

  /** What keeps the check from going on may pass. */
  async #wait(error: unknown): Promise<never> {
    const halt = waitFor(error);
    if (halt) await this.#waitFor(halt);
    throw error;
  }

  /** Throws RetryAfterError, or BatchWaits where only a change helps. */
  async #waitFor({ waitingFor, reason: waitingReason, retryAfterSeconds }: Halt): Promise<never> {
    await this.#change((found) => ({ ...resumed(found), status: "waiting", waitingFor, waitingReason }));
    if (retryAfterSeconds === undefined) throw new BatchWaits();
    throw new RetryAfterError("The batch waits.", retryAfterSeconds);
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
        .finally(() => {
          running.delete(item.id);
          this.#identities.delete(item.id);
        });
      running.set(item.id, run);
      if (item.identity !== undefined) this.#identities.set(item.id, item.identity);
    };
    try {
      for (;;) {
        this.#signal.throwIfAborted();
        const batch = await batches.load(this.#batch);
        if (!batch) return;
        if (failures.length > 0) throw failures[0];
        const free = this.#filmsAtOnce(batch) - running.size;
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

  /** One beside an export that somebody waits for: on a small machine, all share the thread that stores what they do. */
  #filmsAtOnce({ workId, order }: Batch): number {
    return workId !== undefined && this.#ports.exportWorker.awaited.size > 0 ? 1 : order.concurrency;
  }

  /** Films that run already, as an earlier process left them, and then those that wait. */
  async #next(batch: Batch, free: number, running: ReadonlyMap<string, unknown>): Promise<readonly BatchItem[]> {
    const { batches } = this.#ports;
    const max = batch.order.concurrency;
    const left = (await batches.itemsWith(batch.id, "running", max, false)).filter(({ id }) => !running.has(id));
    if (left.length > 0 || (await this.#isStopped(batch))) return left.slice(0, free);
    const onlyPreview = batch.order.stopAt.includes("preview") && !batch.approved.includes("preview");
    const waiting = await batches.itemsWith(batch.id, "waiting", max, onlyPreview);
    return this.#differing(waiting.filter(({ id }) => !running.has(id))).slice(0, free);
  }

  /** Of films that show the same, one is made; the others then keep its file. */
  #differing(items: readonly BatchItem[]): readonly BatchItem[] {
    if (this.#batch.order.force) return items;
    const made = new Set(this.#identities.values());
    return items.filter(({ identity = "" }) => !made.has(identity) && made.add(identity));
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
      const wait = await this.#films.wait();
      if (wait) return void (await this.#change((found) => ({ ...resumed(found), status: "waiting", ...wait })));
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
      if (this.#batch.workId === undefined) {
        this.#halt ??= await this.#films.make(item, signal);
        return;
      }
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
      const halt = exportWaitFor(error);
      if (!halt) throw error;
      this.#halt = halt;
      await batches.changeItem(this.#batch, item.id, { status: "waiting" });
      return undefined;
    }
  }

  async #exportOf({ language, target, values, frames, fileName }: BatchItem, id: string) {
    const { batches, works } = this.#ports;
    const { projectId, workId = "", id: batchId } = this.#batch;
    const [work, bases] = await Promise.all([works.find(projectId, workId), batches.bases(batchId)]);
    const base = bases.find((each) => each.language === language) ?? bases[0];
    if (!work || !base || "film" in base.request) throw new DomainError("not_found", {});
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
    const { batches, exports, files } = this.#ports;
    let last = first;
    for await (const state of followExport(this.#ports, first, signal, "status")) last = state;
    signal.throwIfAborted();
    const [file] = last.files;
    if (last.status === "done" && file) {
      const sha256 = await sha256Of(files, file);
      await batches.changeItem(this.#batch, item.id, { status: "done", sha256, sizeBytes: file.sizeBytes });
      return;
    }
    const halt = last.failure && exportWaitFor(errorOf(last.failure));
    if (halt) {
      // another one takes its id
      await exports.remove(this.#batch.userId, last.id, Date.now());
      await batches.changeItem(this.#batch, item.id, { status: "waiting" });
      this.#halt = halt;
      return;
    }
    // removed or cancelled by its owner
    const status = exportHasEnded(last) && last.failure ? "error" : "cancelled";
    await batches.changeItem(this.#batch, item.id, { status, ...(last.failure && { failure: last.failure }) });
  }
}

/** A film's video stays until its batches are removed. */
const keptMs = 100 * 366 * 86_400_000;
