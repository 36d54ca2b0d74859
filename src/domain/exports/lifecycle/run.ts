import { setTimeout as sleep } from "node:timers/promises";
import { DomainError, isUnavailable } from "../../../errors.ts";
import { RetryAfterError } from "../../../platform/retry-after.ts";
import type { Caller } from "../../auth/caller.ts";
import type { UserStore } from "../../auth/users.ts";
import { filmCaptions } from "../../captions/film.ts";
import type { FileStore } from "../../files/file-store.ts";
import { newId } from "../../shared/ids.ts";
import { inStage, type Telemetry } from "../../telemetry/telemetry.ts";
import type { WorkStore } from "../../works/works.ts";
import type { ExportStates } from "../changes.ts";
import { storedRequest } from "../fill-from-editor.ts";
import {
  type ExportFile,
  type ExportJob,
  type ExportOutcome,
  type ExportProgress,
  type ExportStore,
  failureOf,
  type JobLease,
} from "../jobs.ts";
import type { RenderedVideos, Renderer } from "../renderer.ts";
import { type ResolveExportPorts, resolveExport } from "../resolve.ts";
import type { RunStore } from "../shared-runs.ts";
import { targetsOf, targetTimelines } from "../targets.ts";
import { type FindWarningsPorts, findWarnings } from "../validation/find-warnings.ts";
import {
  calmMsBefore,
  deathsOf,
  type ExportWorker,
  FailedHereError,
  isLeftToOthers,
  isWorthAnotherWorker,
  isWorthRetrying,
  maxDeaths,
  type RetryPorts,
  retryLater,
  retryReason,
  turnSeconds,
} from "./retry.ts";

export type LoadOwnerPorts = {
  readonly users: Pick<UserStore, "find">;
  readonly works: Pick<WorkStore, "find">;
};

export type WatchLeasePorts = { readonly exportStates: ExportStates };

export type RunExportJobPorts = {
  readonly files: Pick<FileStore, "store" | "remove">;
  readonly renderer: Pick<Renderer, "render">;
  readonly exports: Pick<ExportStore, "acquire" | "recordLayout" | "reportProgress" | "endAttempt" | "end">;
  readonly exportWorker: ExportWorker;
  readonly telemetry: Telemetry;
  /** Undefined if no other process can render runs of an export. */
  readonly runs?: Pick<RunStore, "of"> | undefined;
} & RetryPorts &
  LoadOwnerPorts &
  WatchLeasePorts &
  ResolveExportPorts &
  FindWarningsPorts;

type LogError = (error: unknown) => void;

/**
 * Job handler: renders an export and records the outcome. Does nothing if the export is gone or has ended.
 * `signal` aborts when this process stops; the handler then throws, and the next attempt continues with the cached
 * segments. It throws RetryAfterError if a part of the service did not work, or if it is another worker's turn.
 * `logError` receives what the export does not store: internal errors, and those after which it is tried again.
 */
export async function runExportJob(
  ports: RunExportJobPorts,
  exportId: string,
  signal: AbortSignal,
  logError: LogError = () => {},
): Promise<void> {
  const job = await acquireCalmly(ports, exportId, signal).catch((error) => {
    throw isUnavailable(error) ? retryLater(ports, 1) : error;
  });
  if (!job) return;
  const lease: JobLease = { exportId: job.id, attempt: job.attempt };
  try {
    await attemptExport(ports, job, { lease, signal, logError });
  } catch (error) {
    await leaveAttempt(ports, lease, error);
  }
}

/** Begins an attempt. If processes have died of earlier ones, it waits before, without an attempt that could die again. */
async function acquireCalmly(
  { exports, exportWorker }: RunExportJobPorts,
  exportId: string,
  signal: AbortSignal,
): Promise<ExportJob | undefined> {
  const job = await exports.acquire(exportId, Date.now());
  const calmMs = job ? calmMsBefore(job, exportWorker) : 0;
  if (!job || calmMs === 0) return job;
  await exports.endAttempt({ exportId, attempt: job.attempt });
  await sleep(calmMs, undefined, { signal });
  return await exports.acquire(exportId, Date.now());
}

/** The export has ended, or another attempt has begun. */
class SupersededError extends Error {
  override readonly name = "SupersededError";
}

/** Records the end of an attempt whose export goes on, and throws what the queue needs for the next one. */
async function leaveAttempt(ports: RunExportJobPorts, lease: JobLease, error: unknown): Promise<void> {
  const { exports, exportWorker, telemetry } = ports;
  const failed = error instanceof FailedHereError ? { holder: exportWorker.id, at: Date.now() } : undefined;
  const isRecorded = await exports.endAttempt(lease, failed).then(
    () => true,
    () => false,
  );
  if (error instanceof SupersededError) return;
  const reason = failed ? "failed" : retryReason(error);
  if (reason) telemetry.metrics.exportRetried(reason);
  throw failed || !reason ? error : retryLater(ports, lease.attempt, isRecorded ? undefined : lease);
}

type AttemptOptions = { readonly lease: JobLease; readonly signal: AbortSignal; readonly logError: LogError };

/** Ends the export, or throws what decides about the next attempt. */
async function attemptExport(
  ports: RunExportJobPorts,
  job: ExportJob,
  { lease, signal, logError }: AttemptOptions,
): Promise<void> {
  const { exports, exportWorker } = ports;
  if (isLeftToOthers(job, exportWorker)) throw new RetryAfterError("It is another worker's turn.", turnSeconds);
  if (job.attempt === 1) ports.telemetry.metrics.stageEnded("wait", (Date.now() - job.createdAt) / 1000);
  const superseded = new AbortController();
  const watching = watchLease(ports, job, superseded);
  try {
    if (deathsOf(job) >= maxDeaths) throw new Error(`${maxDeaths} processes died while they rendered the export.`);
    const { files, progress } = await render(ports, job, {
      lease,
      superseded,
      signal: AbortSignal.any([signal, superseded.signal]),
    });
    if (await exports.end(lease, { status: "done", files, progress }, Date.now())) return;
    await removeFiles(ports, files);
    superseded.abort();
    throw new SupersededError("The attempt has lost its export.");
  } catch (error) {
    signal.throwIfAborted();
    if (superseded.signal.aborted) throw new SupersededError("The attempt has lost its export.", { cause: error });
    await endFailed(ports, job, { lease, error, logError });
  } finally {
    superseded.abort();
    await watching;
  }
}

/** Records the failure of an export. Throws, if it is tried again, the error of a temporary one or FailedHereError. */
async function endFailed(
  { exports, exportWorker }: RunExportJobPorts,
  job: ExportJob,
  { lease, error, logError }: Pick<AttemptOptions, "lease" | "logError"> & { readonly error: unknown },
): Promise<void> {
  const failure = failureOf(error);
  const isRetried = isWorthRetrying(error, job);
  const isForOther = !isRetried && isWorthAnotherWorker(failure, job, exportWorker);
  // what is away reports an outage itself
  if (isForOther || failure.code === "internal" || failure.code === "busy") logError(error);
  if (isRetried) throw error;
  if (isForOther) throw new FailedHereError("Another worker tries the export.", turnSeconds);
  await exports.end(lease, { status: "error", failure }, Date.now());
}

/** Aborts `superseded` as soon as the export is cancelled, removed, or acquired by another worker. */
export async function watchLease(
  { exportStates }: WatchLeasePorts,
  job: ExportJob,
  superseded: AbortController,
): Promise<void> {
  try {
    for await (const current of exportStates.watch(job, superseded.signal, "status")) {
      // another watcher's read can be older than this attempt
      if (current && current.revision < job.revision) continue;
      if (current?.status !== "rendering" || current.attempt !== job.attempt) superseded.abort();
    }
  } catch {
    // an expired export that cannot be read goes on: `end` finds out whether it still may
  }
}

type Attempt = Pick<AttemptOptions, "lease" | "signal"> & { readonly superseded: AbortController };

async function render(
  ports: RunExportJobPorts,
  job: ExportJob,
  { lease, superseded, signal }: Attempt,
): Promise<Required<Pick<ExportOutcome, "files" | "progress">>> {
  const { exports, renderer, telemetry } = ports;
  const { resolved, warnings } = await inStage(telemetry, "resolve", () => resolve(ports, job, signal));
  const { timeline, quality, dispose } = resolved;
  try {
    const timelines = targetTimelines(timeline, job.request);
    const frames = timeline.track.frames * timelines.length;
    const captions = filmCaptions(timeline);
    if (!(await exports.recordLayout(lease, { frames, warnings, ...(captions && { captions }) }))) superseded.abort();
    const { report, finish } = progressReporter((progress) => exports.reportProgress(lease, progress));
    const { userId: owner, projectId } = job;
    const sharedRuns = ports.runs?.of(lease);
    const options = { quality, signal, owner, projectId, onProgress: report, sharedRuns };
    const rendered = await renderer.render(timelines, options);
    const progress = await finish();
    return { files: await inStage(telemetry, "store", () => storeVideos(ports, job, rendered)), progress };
  } finally {
    await dispose();
  }
}

async function resolve(ports: RunExportJobPorts, job: ExportJob, signal: AbortSignal) {
  const { caller, work } = await loadOwnerAndWork(ports, job);
  const resolved = await resolveExport(ports, caller, work, await storedRequest(ports, job, work), signal);
  try {
    const found = await findWarnings(ports, resolved, { owner: job.userId, signal });
    // known from the editor as it was saved when the export was requested
    const duplicates = job.warnings.filter(({ code }) => code === "duplicate_id");
    return { resolved, warnings: [...found, ...duplicates] };
  } catch (error) {
    await resolved.dispose();
    throw error;
  }
}

/** Their current state. Throws not_found if either was removed. */
export async function loadOwnerAndWork(
  { users, works }: LoadOwnerPorts,
  { userId, projectId, workId, scopes }: ExportJob,
) {
  const [user, work] = await Promise.all([users.find(userId), works.find(projectId, workId)]);
  if (!user || !work) throw new DomainError("not_found", {});
  const caller: Caller = { user, via: "login", scopes };
  return { caller, work };
}

/** Moves the rendered videos into the file store; if one fails, none stays. */
async function storeVideos(
  ports: Pick<RunExportJobPorts, "files">,
  job: ExportJob,
  rendered: RenderedVideos,
): Promise<readonly ExportFile[]> {
  const stored: ExportFile[] = [];
  try {
    for (const [index, target] of targetsOf(job.request).entries()) {
      // safe because every target was rendered
      const video = rendered.videos[index]!;
      const key = `${job.projectId}/${newId("media")}.mp4`;
      await ports.files.store(video, key);
      stored.push({ target, key, sizeBytes: video.sizeBytes });
    }
    return stored;
  } catch (error) {
    await removeFiles(ports, stored);
    throw error;
  } finally {
    await rendered.dispose();
  }
}

const removeFiles = ({ files }: Pick<RunExportJobPorts, "files">, stored: readonly ExportFile[]) =>
  files.remove(stored.map(({ key }) => key));

/** Each report is a statement for the database and a message to every process. */
const reportIntervalMs = 2_000;

/** Throttles progress reports: one at a time, at least `reportIntervalMs` apart. Failed reports are ignored. */
function progressReporter(send: (progress: ExportProgress) => Promise<unknown>) {
  let latest: ExportProgress = { framesDone: 0, framesRendered: 0 };
  let sending: Promise<unknown> = Promise.resolve();
  let isThrottled = false;
  const throttle = () => {
    setTimeout(() => {
      isThrottled = false;
    }, reportIntervalMs);
  };
  return {
    report(progress: ExportProgress): void {
      latest = progress;
      if (isThrottled) return;
      isThrottled = true;
      sending = send(latest).catch(() => {});
      void sending.then(throttle);
    },
    /** Waits for the report in progress and returns the latest progress, which may not have been reported. */
    async finish(): Promise<ExportProgress> {
      await sending;
      return latest;
    },
  };
}
