import { type ChangeFilter, followStates, type States } from "../shared/changes.ts";
import { type Film, hasEnded } from "./film.ts";
import type { FilmSpend } from "./view.ts";

/** A film with the cost of its steps. */
export type FilmState = Film & { readonly spend: FilmSpend };

export type FilmStates = States<Pick<Film, "id" | "projectId">, FilmState>;

export const followFilm = (
  { filmStates }: { readonly filmStates: FilmStates },
  current: FilmState,
  signal: AbortSignal,
  filter: ChangeFilter = "all",
): AsyncGenerator<FilmState> => followStates<FilmState>(filmStates, current, { hasEnded, signal, filter });
