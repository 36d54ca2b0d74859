import type { ExportStates } from "../../domain/exports/changes.ts";
import { type ExportState, type ExportStore, hasEnded } from "../../domain/exports/jobs.ts";
import type { Changes } from "../../domain/shared/changes.ts";
import { watchedStates } from "../changes/states.ts";

export const exportStates = (exports: Pick<ExportStore, "findState">, changes: Changes): ExportStates =>
  watchedStates<Pick<ExportState, "id" | "userId" | "expiresAt">, ExportState>(
    {
      find: ({ userId, id }) => exports.findState(userId, id),
      hasEnded,
      isExpired: ({ expiresAt }) => Date.now() >= expiresAt,
    },
    changes,
  );
