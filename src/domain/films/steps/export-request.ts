import type { Looks } from "../../looks/looks.ts";
import type { Project } from "../../projects/projects.ts";
import type { Work } from "../../works/works.ts";
import type { Film } from "../film.ts";

import { hasOwnSound, isEdited } from "./edits.ts";
import { filmCaptionStyle, hasCaptions, isSpoken } from "./scene-titles.ts";

/** The export of a film: everything else is in the work's editor, including a person's changes. */
export function exportRequest(film: Film, project: Project, looks: Looks, work: Work, audioUrl: string | undefined) {
  const saved = isEdited(film, work) ? work.editorState : undefined;
  const isSaved = (name: string) => saved !== undefined && Object.hasOwn(saved.exportSettings, name);
  const hasMusic = audioUrl !== undefined && !work.editorState?.audioUrl;
  const music = { loop: true, fadeOut: 1, duck: true, normalize: true };
  return {
    projectId: film.projectId,
    workId: film.workId,
    ...(!hasOwnSound(film, work) && {
      ...wordsRequest(film, project, looks, work),
      ...(hasMusic && { audio: { audioUrl, ...music, ...(saved && { volume: saved.audioVolume }) } }),
    }),
    ...film.order.gate,
    options: {
      ...(!isSaved("brand") && { brand: true }),
      ...(!isSaved("disclosure") && { disclosure: "auto" as const }),
      targets: [...film.order.targets],
    },
  };
}

function wordsRequest(film: Film, project: Project, looks: Looks, work: Work) {
  if (!work.scenes.some(isSpoken)) return {};
  const { captions, models } = film.order;
  const style = filmCaptionStyle(film, project, looks, work);
  const colors = { ...style.colors, ...captions?.colors };
  return {
    ...(hasCaptions(film.order) && { captions: { ...style, ...captions, colors } }),
    ...(models.speech !== undefined && { voice: {} }),
  };
}
