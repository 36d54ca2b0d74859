import type { EditorState, TrackAction } from "../../../works/editor-state.ts";
import { withLastingIds } from "../../../works/overlay-ids.ts";
import { changedScenes } from "../../../works/shown-scenes.ts";
import type { Work } from "../../../works/works.ts";
import type { ExportRequest } from "../schema.ts";
import type { Warning } from "../warnings.ts";

/** Warns of the parts of the saved editor that a request uses. */
export const savedWarnings = (request: ExportRequest, work: Work): readonly Warning[] => [
  ...duplicateIds(request, work),
  ...(request.clips ? [] : sceneWarnings(work)),
];

function sceneWarnings(work: Work): readonly Warning[] {
  const changes = changedScenes(work);
  if (changes.length === 0 || work.editorState?.editorData.videoTrack.length === 0) return [];
  const message = `The saved clips and texts are those of earlier scenes (by index from 0: ${changes.join("; ")}). Change them in the editor, or save it without a video track to show the scenes as they are.`;
  return [{ path: "clips", code: "scenes_changed", message }];
}

/** Warns of items of the saved editor that have the id of an earlier item of their track, if the request uses them. */
function duplicateIds({ clips, texts, images }: ExportRequest, work: Work): readonly Warning[] {
  const { editorState, editorSavedAt = work.createdAt } = work;
  if (clips || !editorState) return [];
  // the ids that works show
  const { editorData, textOverlays, imageOverlays } = withLastingIds(editorState, editorSavedAt);
  return [
    ...duplicatesIn(editorData.videoTrack, "clips"),
    ...(texts ? [] : duplicatesIn(shownIn(editorData.textTrack, textOverlays), "texts")),
    ...(images ? [] : duplicatesIn(shownIn(editorData.imageTrack, imageOverlays), "images")),
  ];
}

const shownIn = (actions: readonly TrackAction[], overlays: EditorState["textOverlays"]) =>
  actions.filter(({ id }) => Object.hasOwn(overlays, id));

function duplicatesIn(actions: readonly TrackAction[], list: "clips" | "texts" | "images"): readonly Warning[] {
  const seen = new Set<string>();
  return actions.flatMap(({ id }, index): Warning[] => {
    if (!seen.has(id)) {
      seen.add(id);
      return [];
    }
    const shown = list === "clips" ? "" : ", so both show the same overlay";
    const message = `An earlier item of its track in the saved editor has the same id, ${JSON.stringify(id)}${shown}.`;
    return [{ path: `${list}.${index}`, code: "duplicate_id", message }];
  });
}
