import { isDomainError, isUnavailable } from "../../../errors.ts";
import { RetryAfterError } from "../../../platform/async.ts";
import type { Readiness } from "../../../platform/readiness.ts";
import type { RetryReason } from "../../telemetry/telemetry.ts";
import type { ExportFailure, ExportJob, ExportStore, JobLease } from "./jobs.ts";

export type ExportWorker = {
  /** Unique across all processes and restarts. */
  readonly id: string;
  /** True if no other process takes exports. */
  readonly isAlone: boolean;
  /** Ids of the local exports that a person waits for: batches yield the thread to them. */
  readonly awaited: Set<string>;
  /** The pause for an export after processes have died of it; shorter in tests. */
  readonly calmMs?: number;
};

export type RetryPorts = {
  readonly exports: Pick<ExportStore, "endAttempt">;
  readonly readiness: Readiness;
};

/** An export ends after this many processes died while rendering it; other ends of an attempt do not count. */
export const maxDeaths = 30;

/** Attempts without a recorded end: their process died. */
export const deathsOf = ({ attempt, endedAttempts }: Pick<ExportJob, "attempt" | "endedAttempts">): number =>
  attempt - 1 - endedAttempts;

/** This many processes may die of an export by chance before it must pause. */
const calmFromDeaths = 5;
const maxDoublings = 3;

/** The pause before the next attempt, so that an export that kills its workers leaves time for others. */
export function calmMsBefore(job: ExportJob, { calmMs = 1_000 }: ExportWorker): number {
  const deaths = deathsOf(job);
  if (deaths < calmFromDeaths || deaths >= maxDeaths) return 0;
  return calmMs * 2 ** Math.min(deaths - calmFromDeaths, maxDoublings);
}

/** The time after the request in which outages lead to retries. */
const maxOutageMs = 24 * 3_600_000;

/** True if a later attempt can succeed. */
export const isWorthRetrying = (error: unknown, { createdAt }: Pick<ExportJob, "createdAt">): boolean =>
  retryReason(error) !== undefined && Date.now() - createdAt < maxOutageMs;

/** The reason of a temporary error: a part of the service did not respond, or ffmpeg was stopped or is broken here. */
export function retryReason(error: unknown): RetryReason | undefined {
  if (isUnavailable(error)) return "unavailable";
  return (isDomainError(error) && error.code === "busy") || isShortage(error) ? "busy" : undefined;
}

/** Temporarily, no process can be started or no file opened. */
const shortages: readonly unknown[] = ["EAGAIN", "ENOMEM", "EMFILE", "ENFILE"];

const isShortage = (error: unknown): boolean =>
  error instanceof Error && (("code" in error && shortages.includes(error.code)) || isShortage(error.cause));

/** Failures that a broken machine can cause as well as the export. */
const doubtful: readonly ExportFailure["code"][] = ["internal", "source_unreadable", "storage_full"];

/** The export failed here; another worker retries it once. */
export class FailedHereError extends RetryAfterError {
  override readonly name = "FailedHereError";
}

/** True if another worker should retry once before the export ends with the failure. */
export const isWorthAnotherWorker = ({ code }: ExportFailure, job: ExportJob, { isAlone }: ExportWorker): boolean =>
  !isAlone && job.failedHolder === undefined && doubtful.includes(code) && deathsOf(job) < maxDeaths;

/** The time for which a failed worker leaves an export to others: longer than their polling interval. */
const leftToOthersMs = 8_000;

/** True if this worker has just failed at the export, so another one should take it. */
export const isLeftToOthers = ({ failedHolder, failedAt = 0 }: ExportJob, worker: ExportWorker): boolean =>
  !worker.isAlone && failedHolder === worker.id && Date.now() - failedAt < leftToOthersMs;

/** The delay before the next attempt, by any free worker. */
export const turnSeconds = 2;

const retryAfterSeconds = (attempt: number): number => Math.min(2 ** attempt, 60);

/** The process takes no other export until all parts work. `ended` is the attempt whose end is unrecorded. */
export function retryLater({ exports, readiness }: RetryPorts, attempt: number, ended?: JobLease): RetryAfterError {
  const isOver = async () => {
    if (ended) await exports.endAttempt(ended);
    ended = undefined;
    return Object.values(await readiness()).every((state) => state === "ok");
  };
  return new RetryAfterError("A part of the service does not work.", retryAfterSeconds(attempt), isOver);
}
