import { setTimeout as sleep } from "node:timers/promises";
import { isUnavailable } from "../../../errors.ts";
import { RetryAfterError } from "../../../platform/async.ts";
import { type WatchLeasePorts, watchLease } from "./job-state.ts";
import { type ExportJob, type ExportStore, failureOf, type JobLease } from "./jobs.ts";
import { type RenderPorts, removeFiles, renderExport } from "./render.ts";
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

type RunExportJobPorts = RenderPorts & {
  readonly exports: Pick<ExportStore, "acquire" | "end">;
  readonly exportWorker: ExportWorker;
} & RetryPorts &
  WatchLeasePorts;

type LogError = (error: unknown) => void;

/**
 * Job handler: renders an export and records the outcome. Does nothing if the export was removed or has ended. `signal`
 * aborts when this process stops; the handler then throws, and the next attempt continues with the cached segments.
 * Throws RetryAfterError if a part of the service did not work, or if another worker should take it. `logError`
 * receives unstored errors: internal ones, and those before a retry.
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
  if (job.batchId === undefined) ports.exportWorker.awaited.add(exportId);
  const lease: JobLease = { exportId: job.id, attempt: job.attempt };
  try {
    await attemptExport(ports, job, { lease, signal, logError });
  } catch (error) {
    await leaveAttempt(ports, lease, error);
  } finally {
    ports.exportWorker.awaited.delete(exportId);
  }
}

/** Begins an attempt. If earlier ones killed their processes, it first pauses, outside an attempt that could die again. */
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

/** Thrown when the export has ended, or another attempt has begun. */
class SupersededError extends Error {
  override readonly name = "SupersededError";
}

/** Records the end of an attempt whose export continues, and throws the queue's error for the next one. */
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

/** Ends the export, or throws an error that decides about the next attempt. */
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
    const { files, progress } = await renderExport(ports, job, {
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

/** Records the failure of an export. If it is retried, throws the temporary error or FailedHereError. */
async function endFailed(
  { exports, exportWorker }: RunExportJobPorts,
  job: ExportJob,
  { lease, error, logError }: Pick<AttemptOptions, "lease" | "logError"> & { readonly error: unknown },
): Promise<void> {
  const failure = failureOf(error);
  const isRetried = isWorthRetrying(error, job);
  const isForOther = !isRetried && isWorthAnotherWorker(failure, job, exportWorker);
  // unavailable parts report their outage themselves
  if (isForOther || failure.code === "internal" || failure.code === "busy") logError(error);
  if (isRetried) throw error;
  if (isForOther) throw new FailedHereError("Another worker tries the export.", turnSeconds);
  await exports.end(lease, { status: "error", failure }, Date.now());
}
