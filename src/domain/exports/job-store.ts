import type { Page, PageRequest } from "../shared/paging.ts";
import { requireFound } from "../shared/versioned.ts";
import type { ExportFailure, ExportFile, ExportJob, ExportProgress } from "./jobs.ts";
import type { Quality } from "./schema.ts";
import type { Webhook } from "./webhooks/webhooks.ts";

/** One worker's right to write to an export job. It ends when another attempt begins or the export ends. */
export type JobLease = { readonly exportId: string; readonly attempt: number };

export type ExportOutcome = {
  readonly status: "done" | "error";
  readonly files?: readonly ExportFile[];
  readonly failure?: ExportFailure;
  readonly progress?: ExportProgress;
};

/** Costs per pixel of the rendered frames. */
export type ExportHistory = {
  /** Per rendered pixel, over all users' exports on this server. */
  readonly millisecondsPerPixel?: number | undefined;
  /** Per pixel of the user's own videos, sound included. */
  readonly bytesPerPixel?: number | undefined;
};

/** Each method that ends an export also enqueues the event for its webhook, in the same transaction. */
export type ExportStore = {
  /** Adds a job and enqueues it for a worker, in one transaction. Throws busy if the queue is full. */
  add(job: ExportJob, webhook?: Webhook): Promise<void>;
  find(userId: string, exportId: string): Promise<ExportJob | undefined>;
  /** Newest first. */
  list(userId: string, page: PageRequest): Promise<Page<ExportJob> & { readonly count: number }>;
  /** Begins a new attempt, which is then the only one with a valid lease; undefined if the export is gone or has ended. */
  acquire(exportId: string, now: number): Promise<ExportJob | undefined>;
  /** Records what is known once the timeline is built. False if the lease is no longer valid. */
  recordLayout(lease: JobLease, layout: Pick<ExportJob, "frames" | "warnings">): Promise<boolean>;
  /** False if the lease is no longer valid. */
  reportProgress(lease: JobLease, progress: ExportProgress): Promise<boolean>;
  /** Ends the attempt and its export. False, without any change, if the lease is no longer valid. */
  end(lease: JobLease, outcome: ExportOutcome, now: number): Promise<boolean>;
  /** Ends an export that has not ended yet, whether or not a worker holds its lease. */
  cancel(exportId: string, now: number): Promise<void>;
  /** Removes an export, after cancelling it if needed. Returns the keys of its files; undefined if there is none. */
  remove(userId: string, exportId: string, now: number): Promise<readonly string[] | undefined>;
  /** Removes ended exports that have expired. Returns the keys of their files. */
  removeExpired(now: number): Promise<readonly string[]>;
  /** Costs of recent exports of one quality, undefined without any. */
  history(userId: string, quality: Quality): Promise<ExportHistory>;
};

export async function requireExport(exports: ExportStore, userId: string, exportId: string): Promise<ExportJob> {
  return requireFound(await exports.find(userId, exportId));
}
