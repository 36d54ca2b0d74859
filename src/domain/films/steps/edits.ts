import type { Work } from "../../works/works.ts";
import type { Film, FilmPlan } from "../film.ts";

type Edited = Pick<Work, "editorSavedAt">;

/** True if a person has saved the work's editor since the film's scenario was made: the saved state stays. */
export function isEdited({ steps }: FilmPlan, { editorSavedAt = 0 }: Edited): boolean {
  const scenario = steps.find(({ kind }) => kind === "scenario");
  return editorSavedAt > (scenario?.attempts.at(-1)?.endedAt ?? Number.POSITIVE_INFINITY);
}

/** True if the work was edited after the film was laid out with its words. */
export const isLaidOut = (film: FilmPlan, work: Edited): boolean =>
  isEdited(film, work) && film.steps.some(({ kind, attempts }) => kind === "compose" && attempts.some(isDone));

/** True if the scene existed at this time, to be shown or to be left out. */
export const wasMadeBefore = ({ steps }: FilmPlan, scene: number, time = 0): boolean =>
  steps.some(
    (step) =>
      step.kind === "image" &&
      step.scene === scene &&
      step.attempts.some((attempt) => isDone(attempt) && (attempt.endedAt ?? time) < time),
  );

const isDone = ({ state }: Film["steps"][number]["attempts"][number]): boolean => state === "done";

/**
 * True if a person has saved the editor after the film put sound, captions and targets there: the editor then overrides
 * the order.
 */
export const hasOwnSound = (film: FilmPlan, { editorState, ...work }: Edited & Pick<Work, "editorState">): boolean =>
  isEdited(film, work) &&
  ["captions", "voice", "audio", "targets"].some((key) => Object.hasOwn(editorState ?? {}, key));
