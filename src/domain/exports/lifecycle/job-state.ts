import { DomainError } from "../../../errors.ts";
import type { Caller } from "../../accounts/caller.ts";
import type { UserStore } from "../../accounts/users.ts";
import type { WorkStore } from "../../works/works.ts";
import type { ExportJob, ExportStates } from "./jobs.ts";

export type LoadOwnerPorts = {
  readonly users: Pick<UserStore, "find">;
  readonly works: Pick<WorkStore, "find">;
};

export type WatchLeasePorts = { readonly exportStates: ExportStates };

/** Loads the owner and the work. Throws not_found if either was removed. */
export async function loadOwnerAndWork(
  { users, works }: LoadOwnerPorts,
  { userId, projectId, workId, scopes }: ExportJob,
) {
  const [user, work] = await Promise.all([users.find(userId), works.find(projectId, workId)]);
  if (!user || !work) throw new DomainError("not_found", {});
  const caller: Caller = { user, via: "login", scopes };
  return { caller, work };
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
    // an expired export that cannot be read continues: `end` finds out whether it still may
  }
}
