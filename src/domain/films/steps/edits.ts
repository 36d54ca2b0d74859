import type { Work } from "../../works/works.ts";
import type { Film, FilmPlan } from "../film.ts";

type Edited = Pick<Work, "editorSavedAt">;

/** Whether a person has saved the work's editor since the film's scenario was made: what is there stays. */
export function isEdited({ steps }: FilmPlan, { editorSavedAt = 0 }: Edited): boolean {
  const scenario = steps.find(({ kind }) => kind === "scenario");
  return editorSavedAt > (scenario?.attempts.at(-1)?.endedAt ?? Number.POSITIVE_INFINITY);
}

/** Edited, after the film was laid out with its words. */
export const isLaidOut = (film: FilmPlan, work: Edited): boolean =>
  isEdited(film, work) && film.steps.some(({ kind, attempts }) => kind === "compose" && attempts.some(isDone));

/** Whether the scene was there to be shown, or to be left out, at this time. */
export const wasMadeBefore = ({ steps }: FilmPlan, scene: number, time = 0): boolean =>
  steps.some(
    (step) =>
      step.kind === "image" &&
      step.scene === scene &&
      step.attempts.some((attempt) => isDone(attempt) && (attempt.endedAt ?? time) < time),
  );

const isDone = ({ state }: Film["steps"][number]["attempts"][number]): boolean => state === "done";

/**
 * What the editor says of sound and captions, once a person has saved it: the order no longer counts. The film has put
 * both there with its targets.
 */
export const hasOwnSound = (film: FilmPlan, { editorState, ...work }: Edited & Pick<Work, "editorState">): boolean =>
  isEdited(film, work) &&
  ["captions", "voice", "audio", "targets"].some((key) => Object.hasOwn(editorState ?? {}, key));
