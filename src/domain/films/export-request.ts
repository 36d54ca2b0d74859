import type { Project } from "../projects/projects.ts";
import type { Work } from "../works/works.ts";
import { captionLook, hasCaptions, isSpoken } from "./compose.ts";
import type { Film } from "./film.ts";

/** The export of a film: the rest of it is in the work's editor. */
export function exportRequest(film: Film, project: Project, work: Work, audioUrl: string | undefined) {
  const { captions, targets, models } = film.order;
  const hasWords = work.scenes.some(isSpoken);
  const speaks = models.speech !== undefined && hasWords;
  const look = captionLook(film, project, work);
  const colors = { ...look.colors, ...captions?.colors };
  return {
    projectId: film.projectId,
    workId: film.workId,
    ...(hasWords && hasCaptions(film.order) && { captions: { ...look, ...captions, colors } }),
    ...(speaks && { voice: {} }),
    ...(audioUrl !== undefined && { audio: { audioUrl, loop: true, fadeOut: 1, duck: true, normalize: true } }),
    ...film.order.gate,
    options: { brand: true, disclosure: "auto" as const, targets: [...targets] },
  };
}
