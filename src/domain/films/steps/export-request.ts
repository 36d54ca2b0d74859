import { toThousandths } from "../../../platform/values.ts";
import type { Looks } from "../../looks/looks.ts";
import type { Project } from "../../projects/projects.ts";
import type { Work } from "../../works/works.ts";
import type { Film } from "../film.ts";
import type { BeatGrid } from "./beats.ts";
import { hasOwnSound, isEdited } from "./edits.ts";
import { filmCaptionStyle, hasCaptions, isSpoken } from "./scene-titles.ts";

/** The export of a film: everything else is in the work's editor, including a person's changes. */
export function exportRequest(film: Film, project: Project, looks: Looks, work: Work, audioUrl: string | undefined) {
  const saved = isEdited(film, work) ? work.editorState : undefined;
  const isSaved = (name: string) => saved !== undefined && Object.hasOwn(saved.exportSettings, name);
  const hasMusic = audioUrl !== undefined && !work.editorState?.audioUrl;
  const music = { loop: true, fadeOut: fadeSeconds(film, work), duck: true, normalize: true };
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

/** Music that would go on fades from the start of a bar on; a bed ends by itself. */
function fadeSeconds({ order }: Film, { editorState }: Work): number {
  if (order.bed !== undefined) return leastFade;
  const { bars = [] } = (editorState?.beats ?? {}) as Partial<BeatGrid>;
  const end = Math.max(0, ...(editorState?.editorData.videoTrack ?? []).map((clip) => clip.end));
  const bar = bars.findLast((each) => end - each >= leastFade && end - each <= mostFade);
  return bar === undefined ? leastFade : toThousandths(end - bar);
}

const leastFade = 1;
const mostFade = 4;

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
