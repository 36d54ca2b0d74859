import { DomainError, type ErrorCode, type ErrorFacts, isDomainError } from "../../errors.ts";
import type { Caller } from "../auth/caller.ts";
import type { Scope } from "../auth/scopes.ts";
import { newId } from "../shared/ids.ts";
import type { Page, PageRequest } from "../shared/paging.ts";
import { requireFound } from "../shared/versioned.ts";
import type { Work } from "../works/works.ts";
import type { ExportRequest, Quality } from "./schema.ts";
import type { Warning } from "./warnings.ts";
import type { Webhook } from "./webhooks/webhooks.ts";

export const exportStatuses = ["queued", "rendering", "done", "error", "cancelled"] as const;
export type ExportStatus = (typeof exportStatuses)[number];

/** Why an export failed: enough to say it again as if it had just happened. */
export type ExportFailure =
  | { readonly code: ErrorCode; readonly facts: ErrorFacts<ErrorCode> }
  | { readonly code: "internal" };

/** One finished film of an export: the shape of frame it was made for, where any was named, else nothing. */
export type ExportFile = {
  readonly target: string;
  readonly key: string;
  readonly sizeBytes: number;
};

/** How far the pictures are: `framesDone` counts those from earlier exports too, `framesRendered` does not. */
export type ExportProgress = { readonly framesDone: number; readonly framesRendered: number };

export type ExportJob = ExportProgress & {
  readonly id: string;
  readonly userId: string;
  readonly projectId: string;
  readonly workId: string;
  /** Of the work when the export began; the film is called so. */
  readonly name: string;
  /** What the credential that asked for it may read. */
  readonly scopes: readonly Scope[];
  readonly request: ExportRequest;
  readonly status: ExportStatus;
  readonly frames: number;
  readonly warnings: readonly Warning[];
  readonly failure?: ExportFailure;
  readonly files: readonly ExportFile[];
  /** Goes up by one with each worker that begins: only the last one may say more. */
  readonly attempt: number;
  /** Goes up by one with every change that is told. */
  readonly revision: number;
  readonly createdAt: number;
  readonly startedAt?: number;
  readonly finishedAt?: number;
  readonly expiresAt: number;
};

/** The turn of one worker at one export. */
export type JobLease = { readonly exportId: string; readonly attempt: number };

export type ExportEnd = {
  readonly status: "done" | "error";
  readonly files?: readonly ExportFile[];
  readonly failure?: ExportFailure;
  readonly progress?: ExportProgress;
};

/** By the pixels of all frames, as they were drawn. */
export type ExportHistory = {
  /** Of all exports of this server, for each pixel that was rendered. */
  readonly millisecondsPerPixel?: number | undefined;
  /** Of the user's own films, sound included. */
  readonly bytesPerPixel?: number | undefined;
};

/** Whatever ends an export puts its webhook on the way, both or neither. */
export type ExportStore = {
  /** Adds an export and hands it to a worker, both or neither. Throws busy when too many wait. */
  add(job: ExportJob, webhook?: Webhook): Promise<void>;
  find(userId: string, exportId: string): Promise<ExportJob | undefined>;
  /** Newest first. */
  list(userId: string, page: PageRequest): Promise<Page<ExportJob> & { readonly count: number }>;
  /** Begins a worker's turn; undefined when the export is gone or has ended. */
  begin(exportId: string, now: number): Promise<ExportJob | undefined>;
  /** What is known once the timeline is laid. False when the turn is over: somebody cancelled, or took over. */
  describe(turn: JobLease, facts: { readonly frames: number; readonly warnings: readonly Warning[] }): Promise<boolean>;
  progress(turn: JobLease, progress: ExportProgress): Promise<boolean>;
  /** Ends a turn and its export; false when the turn was over before. */
  end(turn: JobLease, end: ExportEnd, now: number): Promise<boolean>;
  /** Ends an export that has not ended yet, whoever works on it. */
  cancel(exportId: string, now: number): Promise<void>;
  /** Ends it, if it has not ended yet. Answers the keys of its files; undefined when there is none. */
  remove(userId: string, exportId: string, now: number): Promise<readonly string[] | undefined>;
  removeExpired(now: number): Promise<readonly string[]>;
  /** What exports of one quality cost lately, as far as any were made. */
  history(userId: string, quality: Quality): Promise<ExportHistory>;
};

/** Of what is told: all of it, or all but how far the frames are. */
export type Heard = "everything" | "turns";

/** Tells who follows an export that something about it is new. */
export type ExportFeed = {
  /** Answers once now and after every change, until `signal` aborts. Changes in quick succession come as one. */
  changes(exportId: string, signal: AbortSignal, heard: Heard): AsyncIterable<void>;
};

export const hasEnded = ({ status }: Pick<ExportJob, "status">): boolean =>
  status === "done" || status === "error" || status === "cancelled";

export async function requireExport(exports: ExportStore, userId: string, exportId: string): Promise<ExportJob> {
  return requireFound(await exports.find(userId, exportId));
}

/** The state of an export after each change, the last one when it has ended; ends too when it is removed. */
export async function* followExport(
  { exports, exportFeed }: { readonly exports: ExportStore; readonly exportFeed: ExportFeed },
  { id, userId }: Pick<ExportJob, "id" | "userId">,
  signal: AbortSignal,
  heard: Heard = "everything",
): AsyncGenerator<ExportJob> {
  let revision = -1;
  for await (const _ of exportFeed.changes(id, signal, heard)) {
    const job = await exports.find(userId, id);
    if (!job) return;
    if (job.revision === revision) continue;
    revision = job.revision;
    yield job;
    if (hasEnded(job)) return;
  }
}

export type ExportOrder = {
  readonly caller: Caller;
  readonly work: Work;
  readonly request: ExportRequest;
  readonly keepMs: number;
};

export function newExport({ caller, work, request, keepMs }: ExportOrder): ExportJob {
  const now = Date.now();
  return {
    id: newId("exp"),
    userId: caller.user.id,
    projectId: work.projectId,
    workId: work.id,
    name: work.name,
    scopes: caller.scopes,
    request,
    status: "queued",
    frames: 0,
    framesDone: 0,
    framesRendered: 0,
    warnings: [],
    files: [],
    attempt: 0,
    revision: 0,
    createdAt: now,
    expiresAt: now + keepMs,
  };
}

/** What is kept of an error: of one that is our own mistake, only that it was. */
export const failureOf = (error: unknown): ExportFailure =>
  isDomainError(error) ? { code: error.code, facts: error.facts } : { code: "internal" };

/** The error again, as whoever waits for the export meets it. */
export const errorOf = (failure: ExportFailure): Error =>
  failure.code === "internal" ? new Error("The export failed.") : new DomainError(failure.code, failure.facts);

/** 0..1: frames done over frames to do, those of earlier exports among them. */
export function progressOf({ status, framesDone, frames }: ExportJob): number {
  if (status === "done") return 1;
  // joining is still to come when the last frame is there
  return frames > 0 ? Math.min(framesDone / frames, 0.999) : 0;
}

export type ExportStage = "waiting" | "preparing" | "rendering" | "joining";

/** What is being done for an export now; undefined when it has ended. */
export function stageOf(job: ExportJob): ExportStage | undefined {
  if (hasEnded(job)) return undefined;
  if (job.status === "queued") return "waiting";
  if (job.framesDone === 0) return "preparing";
  return job.framesDone < job.frames ? "rendering" : "joining";
}

/** Seconds until it is done, by its own speed so far; undefined while that is not known. */
export function etaSecondsOf(job: ExportJob, now = Date.now()): number | undefined {
  const { status, startedAt, frames, framesDone, framesRendered } = job;
  if (status !== "rendering" || startedAt === undefined || framesRendered === 0) return undefined;
  const perFrame = (now - startedAt) / framesRendered;
  return Math.ceil(((frames - framesDone) * perFrame) / 1000);
}
