import { type ExportState, hasEnded } from "./jobs.ts";

/** `status`: all changes but progress. */
export type ChangeFilter = "all" | "status";

export type ExportChanges = {
  /** Yields once immediately and after every change, until `signal` aborts. Rapid changes are merged into one. */
  subscribe(exportId: string, signal: AbortSignal, filter: ChangeFilter): AsyncIterable<void>;
};

export type ExportStates = {
  /**
   * Yields the state of an export and each later one, until `signal` aborts or the export has ended; undefined, as the
   * last, if there is no such export. Rapid changes are merged into one. Each state is read once for all that watch.
   * While the database does not respond it waits, but throws `unavailable` after the export has expired.
   */
  watch(
    job: Pick<ExportState, "id" | "userId" | "expiresAt">,
    signal: AbortSignal,
    filter: ChangeFilter,
  ): AsyncIterable<ExportState | undefined>;
};

export type FollowExportPorts = { readonly exportStates: ExportStates };

/** Yields `current` and each later state. Ends when the export has ended, or was removed. */
export async function* followExport(
  { exportStates }: FollowExportPorts,
  current: ExportState,
  signal: AbortSignal,
  filter: ChangeFilter = "all",
): AsyncGenerator<ExportState> {
  yield current;
  if (hasEnded(current)) return;
  let { revision } = current;
  for await (const state of exportStates.watch(current, signal, filter)) {
    if (!state) return;
    // another watcher's read can be older than `current`
    if (state.revision <= revision) continue;
    revision = state.revision;
    yield state;
  }
}
