import { isDomainError, isUnavailable } from "../../../errors.ts";
import { RetryAfterError } from "../../../platform/async.ts";
import type { Readiness } from "../../../platform/readiness.ts";
import type { RetryReason } from "../../telemetry/metrics.ts";
import type { ExportFailure, ExportJob, ExportStore, JobLease } from "./jobs.ts";

export type ExportWorker = {
  /** Unique among all processes, also over restarts. */
  readonly id: string;
  /** No other process takes exports. */
  readonly isAlone: boolean;
  /** Ids of the exports that run here and that somebody waits for: batches leave them the thread. */
  readonly awaited: Set<string>;
  /** Tests shorten the time that an export leaves to others after processes have died of it. */
  readonly calmMs?: number;
};

export type RetryPorts = {
  readonly exports: Pick<ExportStore, "endAttempt">;
  readonly readiness: Readiness;
};

/** An export is given up after so many processes died while they rendered it; each other end of an attempt is free. */
export const maxDeaths = 30;

/** Attempts of which nobody recorded the end: their process died. */
export const deathsOf = ({ attempt, endedAttempts }: Pick<ExportJob, "attempt" | "endedAttempts">): number =>
  attempt - 1 - endedAttempts;

/** So many processes may die of an export by chance before it has to wait. */
const calmFromDeaths = 5;
const maxDoublings = 3;

/** Before the next attempt, so that an export that kills its workers leaves time for others. */
export function calmMsBefore(job: ExportJob, { calmMs = 1_000 }: ExportWorker): number {
  const deaths = deathsOf(job);
  if (deaths < calmFromDeaths || deaths >= maxDeaths) return 0;
  return calmMs * 2 ** Math.min(deaths - calmFromDeaths, maxDoublings);
}

/** An export that meets outages is tried again for so long after it was requested. */
const maxOutageMs = 24 * 3_600_000;

/** True if a later attempt can succeed. */
export const isWorthRetrying = (error: unknown, { createdAt }: Pick<ExportJob, "createdAt">): boolean =>
  retryReason(error) !== undefined && Date.now() - createdAt < maxOutageMs;

/** Of a temporary error: a part of the service did not respond, or ffmpeg was stopped or is broken here. */
export function retryReason(error: unknown): RetryReason | undefined {
  if (isUnavailable(error)) return "unavailable";
  return (isDomainError(error) && error.code === "busy") || isShortage(error) ? "busy" : undefined;
}

/** No process can be started, or no file opened, for now. */
const shortages: readonly unknown[] = ["EAGAIN", "ENOMEM", "EMFILE", "ENFILE"];

const isShortage = (error: unknown): boolean =>
  error instanceof Error && (("code" in error && shortages.includes(error.code)) || isShortage(error.cause));

/** Failures that a broken machine can cause as well as the export. */
const doubtful: readonly ExportFailure["code"][] = ["internal", "source_unreadable", "storage_full"];

/** The export failed here, and another worker tries it once more. */
export class FailedHereError extends RetryAfterError {
  override readonly name = "FailedHereError";
}

/** True if another worker should try once more before the export ends with the failure. */
export const isWorthAnotherWorker = ({ code }: ExportFailure, job: ExportJob, { isAlone }: ExportWorker): boolean =>
  !isAlone && job.failedHolder === undefined && doubtful.includes(code) && deathsOf(job) < maxDeaths;

/** How long a worker that has failed leaves an export to others: longer than they take to look for jobs. */
const leftToOthersMs = 8_000;

/** True if this worker has just failed at the export, so that it is another one's turn. */
export const isLeftToOthers = ({ failedHolder, failedAt = 0 }: ExportJob, worker: ExportWorker): boolean =>
  !worker.isAlone && failedHolder === worker.id && Date.now() - failedAt < leftToOthersMs;

/** Until the next attempt, by whichever worker is free first. */
export const turnSeconds = 2;

const retryAfterSeconds = (attempt: number): number => Math.min(2 ** attempt, 60);

/** Until all parts work, the process takes no other export. `ended` is the attempt whose end is unrecorded. */
export function retryLater({ exports, readiness }: RetryPorts, attempt: number, ended?: JobLease): RetryAfterError {
  const isOver = async () => {
    if (ended) await exports.endAttempt(ended);
    ended = undefined;
    return Object.values(await readiness()).every((state) => state === "ok");
  };
  return new RetryAfterError("A part of the service does not work.", retryAfterSeconds(attempt), isOver);
}
