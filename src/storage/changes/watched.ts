import { type Batch, type BatchStore, hasEnded as batchHasEnded } from "../../domain/batches/batch.ts";
import type { BatchState, BatchStates } from "../../domain/batches/states.ts";
import {
  type ExportState,
  type ExportStates,
  type ExportStore,
  hasEnded as exportHasEnded,
} from "../../domain/exports/lifecycle/jobs.ts";
import { type Film, type FilmStore, hasEnded as filmHasEnded } from "../../domain/films/film.ts";
import type { FilmState, FilmStates } from "../../domain/films/states.ts";
import type { LedgerStore } from "../../domain/ledger/ledger.ts";
import type { Changes } from "../../domain/shared/changes.ts";
import { watchedStates } from "./states.ts";

export const exportStates = (exports: Pick<ExportStore, "findState">, changes: Changes): ExportStates =>
  watchedStates<Pick<ExportState, "id" | "userId" | "expiresAt">, ExportState>(
    {
      find: ({ userId, id }) => exports.findState(userId, id),
      hasEnded: exportHasEnded,
      isExpired: ({ expiresAt }) => Date.now() >= expiresAt,
    },
    changes,
  );

type FilmReads = { readonly films: Pick<FilmStore, "find">; readonly ledger: Pick<LedgerStore, "filmSpend"> };

export const filmStates = ({ films, ledger }: FilmReads, changes: Changes): FilmStates =>
  watchedStates<Pick<Film, "id" | "projectId">, FilmState>(
    {
      async find({ projectId, id }) {
        const film = await films.find(projectId, id);
        return film && { ...film, spend: await ledger.filmSpend(id) };
      },
      hasEnded: filmHasEnded,
    },
    changes,
  );

type BatchReads = {
  readonly batches: Pick<BatchStore, "find" | "counts">;
  readonly ledger: Pick<LedgerStore, "spendOf">;
};

export const batchStates = ({ batches, ledger }: BatchReads, changes: Changes): BatchStates =>
  watchedStates<Pick<Batch, "id" | "projectId">, BatchState>(
    {
      async find({ projectId, id }) {
        const batch = await batches.find(projectId, id);
        if (!batch) return undefined;
        const [counts, spend] = await Promise.all([batches.counts([id]), ledger.spendOf("batch", [id])]);
        return { ...batch, counts: counts.get(id), spend: spend.get(id) };
      },
      hasEnded: batchHasEnded,
    },
    changes,
  );
