import { type Halt, reasonOf } from "../failures.ts";
import { type Film, gatesOf, withoutWait } from "../film.ts";
import { restOf } from "../plan.ts";

/** Contains the film's budget at that time. */
export type FilmHalt = Halt & { readonly maxSpend: Film["maxSpend"] };

/** Undefined if its budget was raised meanwhile. */
export function halted(film: Film, halt: FilmHalt): Film | undefined {
  const { waitingFor, reason: waitingReason, maxSpend, budgetWait } = halt;
  if (waitingFor === "budget" && film.maxSpend !== maxSpend) return undefined;
  const waiting: Film = { ...withoutWait(film), status: "waiting", waitingFor, waitingReason };
  return budgetWait ? { ...waiting, budgetWait } : waiting;
}

/** The film with its wait, or at its end; undefined if a step can begin. */
export function restedFilm(film: Film): Film | undefined {
  const rest = restOf(film.steps, gatesOf(film));
  const cleared = withoutWait(film);
  const endedAt = Date.now();
  switch (rest?.state) {
    case undefined:
      return undefined;
    case "done":
      return { ...cleared, status: "done", endedAt };
    case "approval":
      return {
        ...{ ...cleared, status: "waiting", waitingFor: "approval", waitingAt: rest.at },
        waitingReason: `Look at the ${rest.at}, and approve to go on.`,
      };
    case "step":
      return { ...cleared, status: "waiting", waitingFor: "step", waitingReason: reasonOf(film.steps, rest.step) };
    case "empty":
      return {
        ...{ ...cleared, status: "error", endedAt },
        failure: { code: "nothing_to_export", message: "All scenes are left out: there is nothing to show." },
      };
  }
}
