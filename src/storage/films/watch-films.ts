import { type Film, type FilmStore, hasEnded } from "../../domain/films/film.ts";
import type { FilmState, FilmStates } from "../../domain/films/states.ts";
import type { LedgerStore } from "../../domain/ledger/ledger.ts";
import type { Changes } from "../../domain/shared/changes.ts";
import { watchedStates } from "../changes/states.ts";

type FilmReads = { readonly films: Pick<FilmStore, "find">; readonly ledger: Pick<LedgerStore, "filmSpend"> };

export const filmStates = ({ films, ledger }: FilmReads, changes: Changes): FilmStates =>
  watchedStates<Pick<Film, "id" | "projectId">, FilmState>(
    {
      async find({ projectId, id }) {
        const film = await films.find(projectId, id);
        return film && { ...film, spend: await ledger.filmSpend(id) };
      },
      hasEnded,
    },
    changes,
  );
