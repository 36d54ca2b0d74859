import type { EditorState, TrackAction } from "../../../works/editor-state.ts";
import { withLastingIds } from "../../../works/overlay-ids.ts";
import type { Work } from "../../../works/works.ts";
import type { ExportRequest } from "../schema.ts";
import type { Warning } from "../warnings.ts";

/** Warns of items of the saved editor with the id of an earlier one of their track, as far as a request takes them. */
export function duplicateIds({ clips, texts, images }: ExportRequest, work: Work): readonly Warning[] {
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
