import { DomainError, isDomainError, isUnavailable } from "../../../errors.ts";
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

export type LoadOwnerPorts = {
  readonly users: Pick<UserStore, "find">;
  readonly works: Pick<WorkStore, "find">;
};

export type WatchLeasePorts = { readonly exportStates: ExportStates };

export type RunExportJobPorts = {
  readonly files: Pick<FileStore, "store" | "remove">;
  readonly renderer: Pick<Renderer, "render">;
  readonly exports: Pick<ExportStore, "acquire" | "recordLayout" | "reportProgress" | "end">;
  readonly telemetry: Telemetry;
  /** Undefined if no other process can render runs of an export. */
  readonly runs?: Pick<RunStore, "of"> | undefined;
} & LoadOwnerPorts &
  WatchLeasePorts &
  ResolveExportPorts &
  FindWarningsPorts;

/** An export that crashes its workers is given up after so many attempts. */
const maxAttempts = 10;

/** Gives a database or a store that did not respond time to return: ten attempts take more than five minutes. */
const retryAfterSeconds = (attempt: number): number => Math.min(2 ** attempt, 60);

type LogError = (error: unknown) => void;

/**
 * Job handler: renders an export and records the outcome. Does nothing if the export is gone or has ended.
 * `signal` aborts when this process stops; the handler then throws, and the next attempt continues with the cached
 * segments. It also throws if ffmpeg was stopped by someone else, and RetryAfterError if the database or the store did not
 * respond.
 * `logError` receives internal errors, of which the export stores no details.
 */
export async function runExportJob(
  ports: RunExportJobPorts,
  exportId: string,
  signal: AbortSignal,
  logError: LogError = () => {},
): Promise<void> {
  const job = await ports.exports.acquire(exportId, Date.now()).catch((error) => {
    throw retryLater(error, 1);
  });
  if (!job) return;
  try {
    await attemptExport(ports, job, signal, logError);
  } catch (error) {
    throw retryLater(error, job.attempt);
  }
}

const retryLater = (error: unknown, attempt: number): unknown =>
  isUnavailable(error)
    ? new RetryAfterError("A part of the service did not respond.", retryAfterSeconds(attempt))
    : error;

async function attemptExport(ports: RunExportJobPorts, job: ExportJob, signal: AbortSignal, logError: LogError) {
  const { exports } = ports;
  if (job.attempt === 1) ports.telemetry.metrics.stageEnded("wait", (Date.now() - job.createdAt) / 1000);
  const lease: JobLease = { exportId: job.id, attempt: job.attempt };
  const superseded = new AbortController();
  const watching = watchLease(ports, job, superseded);
  try {
    if (job.attempt > maxAttempts) throw new Error(`The export did not end in ${maxAttempts} attempts.`);
    const { files, progress } = await render(ports, job, {
      lease,
      superseded,
      signal: AbortSignal.any([signal, superseded.signal]),
    });
    const isRecorded = await exports.end(lease, { status: "done", files, progress }, Date.now());
    if (!isRecorded) await removeFiles(ports, files);
  } catch (error) {
    signal.throwIfAborted();
    if (superseded.signal.aborted) return;
    if (isTemporary(error) && job.attempt < maxAttempts) throw error;
    const failure = failureOf(error);
    if (failure.code === "internal") logError(error);
    await exports.end(lease, { status: "error", failure }, Date.now());
  } finally {
    superseded.abort();
    await watching;
  }
}

/** True if the next attempt can succeed: the database or the store did not respond, or ffmpeg was stopped. */
const isTemporary = (error: unknown): boolean =>
  isUnavailable(error) || (isDomainError(error) && error.code === "busy");

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

type Attempt = { readonly lease: JobLease; readonly superseded: AbortController; readonly signal: AbortSignal };

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
const reportIntervalMs = 1_000;

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
