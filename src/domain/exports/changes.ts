import { isUnavailable } from "../../errors.ts";
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

/**
 * Yields an export's current state and each later one. Ends when the export has ended, or was removed. While the
 * database does not respond it waits, but throws `unavailable` after the export has expired.
 */
export async function* followExport(
  { exports, exportChanges }: FollowExportPorts,
  { id, userId, expiresAt }: Pick<ExportJob, "id" | "userId" | "expiresAt">,
  signal: AbortSignal,
  filter: ChangeFilter = "all",
): AsyncGenerator<ExportJob> {
  let revision = -1;
  for await (const _ of exportChanges.subscribe(id, signal, filter)) {
    const job = await exports.find(userId, id).catch((error) => {
      if (isUnavailable(error) && Date.now() < expiresAt) return "unknown" as const;
      throw error;
    });
    if (job === "unknown") continue;
    if (!job) return;
    if (job.revision === revision) continue;
    revision = job.revision;
    yield job;
    if (hasEnded(job)) return;
  }
}
