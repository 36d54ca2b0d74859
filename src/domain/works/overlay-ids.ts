import type { EditorOverlay, EditorState, TrackAction } from "./editor-state.ts";

/** Editors number overlays from 1 on each page that they load. */
const counted = /^(?:text|image)-\d+$/;

/** Replaces counted ids, which an editor would give to its next overlays. New ids follow from state and `savedAt`. */
export function withLastingIds(state: EditorState, savedAt: number): EditorState {
  const { textOverlays, imageOverlays, editorData } = state;
  const { textTrack, imageTrack } = editorData;
  const ids = [...Object.keys(textOverlays), ...Object.keys(imageOverlays), ...allIds(editorData)];
  const lasting = lastingIds(ids, savedAt.toString(36));
  if (lasting.size === 0) return state;
  const idOf = (id: string) => lasting.get(id) ?? id;
  const renamed = (overlays: { readonly [id: string]: EditorOverlay }) =>
    // fromEntries, because an assignment to the key __proto__ sets the prototype instead
    Object.fromEntries(Object.entries(overlays).map(([id, overlay]) => [idOf(id), overlay]));
  const moved = (actions: readonly TrackAction[]) => actions.map((action) => ({ ...action, id: idOf(action.id) }));
  return {
    ...state,
    textOverlays: renamed(textOverlays),
    imageOverlays: renamed(imageOverlays),
    editorData: { ...editorData, textTrack: moved(textTrack), imageTrack: moved(imageTrack) },
  };
}

const allIds = ({ videoTrack, textTrack, imageTrack, audioTrack }: EditorState["editorData"]): readonly string[] =>
  [...videoTrack, ...textTrack, ...imageTrack, ...audioTrack].map(({ id }) => id);

/** New ids in place of counted ones, distinct from all others. */
function lastingIds(ids: readonly string[], stamp: string): ReadonlyMap<string, string> {
  const taken = new Set(ids);
  const lasting = new Map<string, string>();
  for (const id of new Set(ids.filter((each) => counted.test(each)))) {
    let free = `${id}-${stamp}`;
    for (let number = 2; taken.has(free); number++) free = `${id}-${stamp}-${number}`;
    taken.add(free);
    lasting.set(id, free);
  }
  return lasting;
}
