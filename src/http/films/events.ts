import { hasEnded } from "../../domain/films/film.ts";
import { type FilmState, followFilm } from "../../domain/films/states.ts";
import { filmView } from "../../domain/films/view.ts";
import type { Services } from "../../services.ts";
import type { EventSource } from "../response/event-stream.ts";

type FilmView = ReturnType<typeof filmView>;

/** Sends a snapshot with the whole film, then each changed step, and an event when the film waits or ends. */
export const filmEvents = (services: Services, load: () => Promise<FilmState>): EventSource<FilmState> => {
  const view = (film: FilmState) => filmView(services, film, film.spend);
  return {
    load,
    hasEnded,
    follow: (current, signal) => followFilm(services, current, signal),
    events: (film, seen) => (seen ? changesOf(view(seen), view(film)) : [snapshot(view(film)), ...restOf(view(film))]),
  };
};

const snapshot = (film: FilmView) => ({ event: "snapshot", data: film });

/** The event of a film that waits or has ended. */
const restOf = (film: FilmView) =>
  film.status === "waiting" || hasEnded(film) ? [{ event: film.status, data: film }] : [];

/** One event for each changed step, with the state of the film; for any other change, a snapshot. */
function changesOf(seen: FilmView, film: FilmView) {
  const { steps, warnings: _, ...state } = film;
  const known = new Map(seen.steps.map((step) => [step.id, JSON.stringify(step)]));
  const isPlanned = steps.length !== known.size || steps.some(({ id }) => !known.has(id));
  const changed = steps.filter((step) => known.has(step.id) && known.get(step.id) !== JSON.stringify(step));
  const events = [
    ...changed.map((step) => ({ event: "step", data: { ...state, step } })),
    ...(isPlanned ? [snapshot(film)] : []),
  ];
  const hasRested =
    seen.status !== film.status || seen.waitingFor !== film.waitingFor || seen.waitingAt !== film.waitingAt;
  const all = [...events, ...(hasRested ? restOf(film) : [])];
  return all.length > 0 ? all : [snapshot(film)];
}
