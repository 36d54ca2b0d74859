import { type ExportJob, type ExportStore, hasEnded } from "./jobs.ts";

/** `status`: all changes but progress. */
export type ChangeFilter = "all" | "status";

export type ExportChanges = {
  /** Yields once immediately and after every change, until `signal` aborts. Rapid changes are merged into one. */
  subscribe(exportId: string, signal: AbortSignal, filter: ChangeFilter): AsyncIterable<void>;
};

export type FollowExportPorts = {
  readonly exports: Pick<ExportStore, "find">;
  readonly exportChanges: ExportChanges;
};

/** Yields an export's current state and each later one. Ends when the export has ended, or was removed. */
export async function* followExport(
  { exports, exportChanges }: FollowExportPorts,
  { id, userId }: Pick<ExportJob, "id" | "userId">,
  signal: AbortSignal,
  filter: ChangeFilter = "all",
): AsyncGenerator<ExportJob> {
  let revision = -1;
  for await (const _ of exportChanges.subscribe(id, signal, filter)) {
    const job = await exports.find(userId, id);
    if (!job) return;
    if (job.revision === revision) continue;
    revision = job.revision;
    yield job;
    if (hasEnded(job)) return;
  }
}
