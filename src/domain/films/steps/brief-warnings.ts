import { z } from "zod";
import { wordsOf } from "../../exports/request/layers/refinements.ts";
import type { Warning } from "../../exports/request/warnings.ts";
import type { LookLibrary } from "../../looks/looks.ts";
import type { Project } from "../../projects/projects.ts";
import { withTemplate } from "../../templates/use.ts";
import type { EditorOverlay } from "../../works/editor-state.ts";
import { toSceneIndexes } from "../../works/scene-indexes.ts";
import type { Work } from "../../works/works.ts";
import type { FilmOrder, FilmPlan } from "../film.ts";
import { formerly } from "../look/scene-words.ts";
import { unshownParts } from "../unshown.ts";
import { withWords } from "./compose.ts";
import { hasCaptions, saidIn } from "./scene-titles.ts";
import { filmTemplate, fromLastScene, partsOf } from "./template.ts";

const code = "brief_not_shown";

export const isOfBrief = (warning: Warning): boolean => warning.code === code;

/** Warns of parts of the brief that the laid out work neither shows nor says. */
export function briefWarnings({ order }: Pick<FilmPlan, "order">, work: Work): readonly Warning[] {
  const { text = "" } = order.brief;
  return unshownParts(text, toldBy(order, work)).map((part) => ({
    ...{ path: "brief.text", code },
    message: `Neither shown nor said in the film: "${part}"`,
  }));
}

/** The texts on screen and the spoken words, scene by scene. */
function toldBy(order: FilmOrder, work: Work): readonly (readonly string[])[] {
  const { editorData, textOverlays } = work.editorState ?? {};
  const { videoTrack = [], textTrack = [] } = editorData ?? {};
  const clips = videoTrack.toSorted((one, other) => one.start - other.start);
  const indexes = toSceneIndexes(
    work,
    clips.map(({ sceneIndex }, at) => sceneIndex ?? at),
  );
  const texts = textTrack.map(({ id, ...time }) => ({ ...time, text: wordsIn(textOverlays?.[id]) }));
  return clips.map(({ start, end, ...clip }, at) => {
    const scene = work.scenes[indexes[at]!]; // safe because each clip has one
    const isCaptioned = hasCaptions(order) && clip.caption !== false;
    return [
      ...texts.filter((text) => text.start < end && text.end > start).map(({ text }) => text),
      ...(scene && (order.models.speech || isCaptioned) ? [saidIn(scene)] : []),
    ];
  });
}

const Shown = z.object({
  text: z.string().optional(),
  spans: z.array(z.object({ text: z.string(), strike: z.boolean().optional() })).optional(),
});

/** The words of a text; a struck one says that it held before. */
function wordsIn(overlay: EditorOverlay | undefined): string {
  const { text, spans } = Shown.safeParse(overlay).data ?? {};
  const isStruck = spans?.some(({ strike }) => strike);
  return [wordsOf({ text, spans }), ...(isStruck ? formerly : [])].join(" ");
}

/** Finds the warnings before anything of the film is made. */
export async function plannedBriefWarnings(
  ports: Parameters<typeof filmTemplate>[0] & { readonly looks: Pick<LookLibrary, "of"> },
  project: Project,
  film: FilmPlan,
  work: Work,
): Promise<readonly Warning[]> {
  const { template, language, brief } = film.order;
  if (!brief.text || work.scenes.length === 0) return [];
  const used = template && (await filmTemplate(ports, project, template, language));
  const covers = used && partsOf(used.content);
  const looks = await ports.looks.of(project.id);
  const laidOut = withWords({ film, project, looks, assets: [], ...(covers && { covers }) }, work);
  const content = used && fromLastScene(used.content, laidOut);
  const editorState =
    content && template ? withTemplate(laidOut, [], { id: used.id, content }, template.values) : laidOut.editorState;
  return briefWarnings(film, { ...laidOut, ...(editorState && { editorState }) });
}
