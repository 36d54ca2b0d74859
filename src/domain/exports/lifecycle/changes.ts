import { type ChangeFilter, followStates, type States } from "../../shared/changes.ts";
import { type ExportState, hasEnded } from "./jobs.ts";

export type ExportStates = States<Pick<ExportState, "id" | "userId" | "expiresAt">, ExportState>;

export type FollowExportPorts = { readonly exportStates: ExportStates };

/** Yields `current` and each later state. Ends when the export has ended, or was removed. */
export const followExport = (
  { exportStates }: FollowExportPorts,
  current: ExportState,
  signal: AbortSignal,
  filter: ChangeFilter = "all",
): AsyncGenerator<ExportState> => followStates<ExportState>(exportStates, current, { hasEnded, signal, filter });
