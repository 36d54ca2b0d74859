import type { Film, Step } from "../api.ts";
import { isOver } from "./film-facts.ts";

type StepEvent = Omit<Film, "steps" | "warnings"> & { readonly step: Step };

const states = ["snapshot", "waiting", "done", "error", "cancelled"] as const;

/** Calls `onState` with each state of a film until it is over. The browser reconnects automatically. Returns a function to stop. */
export function followFilm(film: Film, onState: (film: Film) => void): (() => void) | undefined {
  if (isOver(film)) return undefined;
  const events = new EventSource(`/api/projects/${film.projectId}/films/${film.id}/events`);
  let current = film;
  const show = (next: Film) => {
    current = next;
    onState(next);
    if (isOver(next)) events.close();
  };
  for (const name of states) {
    // `error` is also the event of a broken connection, which has no data
    events.addEventListener(name, (event) => {
      if (event instanceof MessageEvent) show(JSON.parse(event.data));
    });
  }
  events.addEventListener("step", ({ data }) => {
    const { step, ...state }: StepEvent = JSON.parse(data);
    const steps = current.steps.map((known) => (known.id === step.id ? step : known));
    show({ ...current, ...state, steps });
  });
  return () => events.close();
}
