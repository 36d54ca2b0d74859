import type { ExportProgress, RenderTasks } from "../../../engine/ports.ts";
import { DomainError, type ErrorCode, type ErrorFacts, isDomainError } from "../../../errors.ts";
import type { Caller } from "../../accounts/caller.ts";
import type { Scope } from "../../accounts/scopes.ts";
import type { VideoCaptions } from "../../captions/video.ts";
import type { Delivery } from "../../destinations/deliveries.ts";
import type { ExpiringFiles } from "../../files/expired.ts";
import type { GateReport } from "../../gate/report.ts";
import type { Production } from "../../provenance/statement.ts";
import { type ChangeFilter, followStates, type States } from "../../shared/changes.ts";
import { newId } from "../../shared/ids.ts";
import type { Page, PageRequest } from "../../shared/paging.ts";
import type { AspectRatio } from "../../shared/schemas.ts";
import { requireFound } from "../../shared/versioned.ts";
import type { Work } from "../../works/works.ts";
import type { CompleteRequest, RowRequest } from "../request/fill-from-editor.ts";
import type { ExportRequest } from "../request/schema.ts";
import type { VideoTarget } from "../request/targets.ts";
import type { EstimatePorts } from "../request/validation/estimate.ts";
import type { Warning } from "../request/warnings.ts";
import type { Webhook } from "../webhooks/webhooks.ts";

export const exportStatuses = ["queued", "rendering", "done", "error", "cancelled"] as const;
export type ExportStatus = (typeof exportStatuses)[number];

/** The cause of a failed export, sufficient to throw the same error again. */
export type ExportFailure =
  | { readonly code: ErrorCode; readonly facts: ErrorFacts<ErrorCode> }
  | { readonly code: "internal" };

/** Identifies the poster of a video beside it. */
export type PosterTarget = "poster" | `poster ${AspectRatio}`;

export const posterOf = (target: VideoTarget): PosterTarget => (target === "" ? "poster" : `poster ${target}`);

export type ExportFile = {
  readonly target: VideoTarget | PosterTarget;
  readonly key: string;
  readonly sizeBytes: number;
};

export type ExportJob = ExportProgress & {
  readonly id: string;
  readonly userId: string;
  readonly projectId: string;
  readonly workId: string;
  /** The work's name when the export was requested; names the video files. */
  readonly name: string;
  /** The scopes of the credential that requested the export: they limit which files it may read. */
  readonly scopes: readonly Scope[];
  /** Contains the work's resolution if it names none: it does not depend on the work. */
  readonly request: CompleteRequest | RowRequest;
  /** The batch of the film: the film starts in the batch's turn, and does not count as a waiting export. */
  readonly batchId?: string;
  readonly status: ExportStatus;
  /** The sum over all targets. */
  readonly frames: number;
  readonly warnings: readonly Warning[];
  /** Recorded with the layout, so that the caption files match the video. */
  readonly captions?: VideoCaptions;
  /** Recorded with the layout; absent for exports of earlier versions. */
  readonly production?: Production;
  /** Recorded once the videos of a request with a gate were checked. */
  readonly gateReport?: GateReport;
  readonly failure?: ExportFailure;
  readonly files: readonly ExportFile[];
  /** Incremented by each worker that takes the job: only the latest attempt may write to it. */
  readonly attempt: number;
  /** Earlier attempts that ended in order, unlike those of processes that died. */
  readonly endedAttempts: number;
  /** The worker that failed at the export, if another one should try it. */
  readonly failedHolder?: string;
  readonly failedAt?: number;
  /** Incremented by every change that subscribers are notified of. */
  readonly revision: number;
  readonly createdAt: number;
  readonly startedAt?: number;
  readonly finishedAt?: number;
  readonly expiresAt: number;
};

/** The state that views and events of an export need, without fields that can have megabytes. */
export type ExportState = Omit<ExportJob, "request" | "captions" | "production" | "gateReport"> & {
  /** Includes at least the options once the export has ended: no other field of a request is shown. */
  readonly request: Pick<ExportRequest, "options">;
};

/** One worker's right to write to an export job. It ends when another attempt begins or the export ends. */
export type JobLease = { readonly exportId: string; readonly attempt: number };

export type ExportOutcome = {
  readonly status: "done" | "error";
  readonly files?: readonly ExportFile[];
  readonly failure?: ExportFailure;
  readonly progress?: ExportProgress;
};

/** Each method that ends an export also enqueues the event for its webhook, in the same transaction. */
export type ExportStore = ExpiringFiles &
  EstimatePorts["exports"] & {
    /**
     * Adds a job and enqueues it for a worker, in one transaction; does nothing if its id exists. Throws busy if the
     * queue is full, and limit_reached or rate_limited if the user may add no more.
     */
    add(job: ExportJob, webhook?: Webhook, deliveries?: readonly Delivery[]): Promise<void>;
    find(userId: string, exportId: string): Promise<ExportJob | undefined>;
    /** Cheap, whatever the size of the request. */
    findState(userId: string, exportId: string): Promise<ExportState | undefined>;
    /** Lists the newest first. */
    list(userId: string, page: PageRequest): Promise<Page<ExportState> & { readonly count: number }>;
    /** Begins a new attempt; the previous one loses its lease. Undefined if the export was removed or has ended. */
    acquire(exportId: string, now: number): Promise<ExportJob | undefined>;
    /** Records the facts of the built timeline. False if the lease is no longer valid. */
    recordLayout(
      lease: JobLease,
      layout: Pick<ExportJob, "frames" | "warnings" | "captions" | "production" | "gateReport">,
    ): Promise<boolean>;
    /** False if the lease is no longer valid. */
    reportProgress(lease: JobLease, progress: ExportProgress): Promise<boolean>;
    /** Ends the attempt and its export. False, without any change, if the lease is no longer valid. */
    end(lease: JobLease, outcome: ExportOutcome, now: number): Promise<boolean>;
    /** Records that an attempt ended without its export, and with `failed` that its worker failed at it. */
    endAttempt(lease: JobLease, failed?: { readonly holder: string; readonly at: number }): Promise<void>;
    /** Records that a process hung during the export: the second record ends it as `internal`. */
    recordHang(exportId: string, now: number): Promise<void>;
    /** Ends an export that has not ended yet, whether or not a worker holds its lease. */
    cancel(exportId: string, now: number): Promise<void>;
    /** Removes an export, after cancelling it if needed. Returns the keys of its files; undefined if it does not exist. */
    remove(userId: string, exportId: string, now: number): Promise<readonly string[] | undefined>;
  };

export const hasEnded = ({ status }: Pick<ExportJob, "status">): boolean =>
  status === "done" || status === "error" || status === "cancelled";

export async function requireExport(exports: ExportStore, userId: string, exportId: string): Promise<ExportJob> {
  return requireFound(await exports.find(userId, exportId));
}

/** Throws not_ready before the export is done. */
export function requireDone({ status }: Pick<ExportJob, "status">): void {
  if (status !== "done") throw new DomainError("not_ready", {});
}

/** Like `requireExport`, for callers that need only the state. */
export async function requireExportState(exports: ExportStore, userId: string, exportId: string): Promise<ExportState> {
  return requireFound(await exports.findState(userId, exportId));
}

export const newExportId = (): string => newId("exp");

type NewExportJob = Pick<ExportJob, "id" | "request" | "frames" | "warnings" | "batchId"> & {
  readonly caller: Pick<Caller, "user" | "scopes">;
  readonly work: Work;
  /** The time from its creation to the export's removal. */
  readonly retentionMs: number;
};

export function newExportJob({ caller, work, retentionMs, ...job }: NewExportJob): ExportJob {
  const now = Date.now();
  return {
    ...job,
    userId: caller.user.id,
    projectId: work.projectId,
    workId: work.id,
    name: work.name,
    scopes: caller.scopes,
    status: "queued",
    framesDone: 0,
    framesRendered: 0,
    files: [],
    attempt: 0,
    endedAttempts: 0,
    revision: 0,
    createdAt: now,
    expiresAt: now + retentionMs,
  };
}

/** The storable part of an error; for an internal error only the fact. */
export const failureOf = (error: unknown): ExportFailure =>
  isDomainError(error) ? { code: error.code, facts: error.facts } : { code: "internal" };

/** The inverse of `failureOf`. */
export const errorOf = (failure: ExportFailure): Error =>
  failure.code === "internal" ? new Error("The export failed.") : new DomainError(failure.code, failure.facts);

export type ExportStates = States<Pick<ExportState, "id" | "userId" | "expiresAt">, ExportState>;

export type FollowExportPorts = { readonly exportStates: ExportStates };

export const followExport = (
  { exportStates }: FollowExportPorts,
  current: ExportState,
  signal: AbortSignal,
  filter: ChangeFilter = "all",
): AsyncGenerator<ExportState> => followStates<ExportState>(exportStates, current, { hasEnded, signal, filter });

/** An attempt with unclaimed encode tasks. */
export type OpenAttempt = JobLease & { readonly userId: string };

export type RenderTaskStore = {
  of(lease: JobLease): RenderTasks;
  /** Resolves when an attempt has offered tasks, or after a few seconds, in which a holder of one may have died. */
  untilOffered(signal: AbortSignal): Promise<void>;
  /** Attempts in progress, those with the most unclaimed tasks first. */
  findOpen(): Promise<readonly OpenAttempt[]>;
};
