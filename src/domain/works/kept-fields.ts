import type { EditorOverlay, EditorState, EditorStateDraft, TrackAction } from "./editor-state.ts";
import { withLastingIds } from "./overlay-ids.ts";

type Fields = { readonly [key: string]: unknown };

/** Fields of a state, its settings and its clips that editors may not know. Editors replace fields that they know. */
export const newerFields = {
  state: [
    ...["captions", "otherCaptions", "voice", "audio", "targets", "filmLook", "layers", "sounds"],
    ...["placeholderValues", "beats"],
  ],
  settings: [...["brand", "disclosure", "targets", "quality", "duration", "background"], ...["format", "at", "poster"]],
  clip: [
    ...["volume", "fit", "focus", "voice", "caption"],
    ...[
      "transitionAssetId",
      "speed",
      "reverse",
      "scale",
      "rotation",
      "opacity",
      "filter",
      "blend",
      "mask",
      "move",
      "keyframes",
    ],
  ],
};

/**
 * Adds stored fields to an editor's state that it omits because it does not know them: all of overlays with a known id,
 * otherwise the newer ones. Null removes a field.
 */
export function withKeptFields(draft: EditorStateDraft, stored: EditorState, savedAt: number): EditorStateDraft {
  const { editorData, exportSettings = {}, textOverlays, imageOverlays, ...state } = draft;
  const lasting = withLastingIds(stored, savedAt);
  const overlays = (sent: Overlays | undefined, name: "textOverlays" | "imageOverlays") =>
    sent && { [name]: withKeptOverlays(sent, stored[name], lasting[name]) };
  return {
    ...keeping(stored, state, newerFields.state),
    ...(editorData && { editorData: { ...editorData, ...withKeptClips(editorData, stored) } }),
    ...overlays(textOverlays, "textOverlays"),
    ...overlays(imageOverlays, "imageOverlays"),
    exportSettings: keeping(stored.exportSettings, exportSettings, newerFields.settings),
  };
}

type Overlays = { readonly [id: string]: EditorOverlay };

/** An overlay with a counted id is found by the id that works show, or else by its own. */
function withKeptOverlays(sent: Overlays, stored: Overlays, lasting: Overlays): Overlays {
  const shown = new Set(Object.keys(sent).flatMap((id) => (Object.hasOwn(lasting, id) ? [lasting[id]] : [])));
  const known = (id: string): EditorOverlay | undefined => {
    if (Object.hasOwn(lasting, id)) return lasting[id];
    return Object.hasOwn(stored, id) && !shown.has(stored[id]) ? stored[id] : undefined;
  };
  return Object.fromEntries(Object.entries(sent).map(([id, overlay]) => [id, withKept(known(id) ?? {}, overlay)]));
}

/** Two forms of a position: a new value in one form replaces the other form. */
const positionForms = [
  ["centerX", "centerY"],
  ["x", "y"],
];

/** Fields of an overlay that its `targets` replace in other aspect ratios. */
const placed = [...positionForms.flat(), "fontSize", "width", "height", "maxWidth", "maxHeight"];

/** Adds the stored fields that a sent overlay omits; the places in other aspect ratios only if its own is the same. */
export function withKept<Item extends Fields>(stored: Fields, sent: Item): Item {
  const isMoved = (form: readonly string[]) =>
    form.some((field) => isSent(sent, field) && sent[field] !== stored[field]);
  const replaced = positionForms
    .filter((form) => positionForms.some((other) => other !== form && isMoved(other)))
    .flat();
  if (isMoved(placed)) replaced.push("targets");
  return keeping(
    stored,
    sent,
    Object.keys(stored).filter((field) => !replaced.includes(field)),
  );
}

function withKeptClips({ videoTrack }: NonNullable<EditorStateDraft["editorData"]>, { editorData }: EditorState) {
  const known = new Map(editorData.videoTrack.map((clip) => [clip.id, clip]));
  const kept = (clip: TrackAction): TrackAction => {
    const stored = known.get(clip.id);
    return stored && stored.sceneIndex === clip.sceneIndex ? keeping(stored, clip, newerFields.clip) : clip;
  };
  return videoTrack && { videoTrack: videoTrack.map(kept) };
}

const isSent = (sent: Fields, field: string) => Object.hasOwn(sent, field) && sent[field] !== undefined;

/** Null removes a stored field, but is otherwise a value of the client. */
function keeping<Item extends Fields>(stored: Fields, sent: Item, fields: readonly string[]): Item {
  const has = (field: string) => Object.hasOwn(stored, field) && stored[field] !== null;
  const kept = fields.filter((field) => has(field) && !isSent(sent, field)).map((field) => [field, stored[field]]);
  const named = Object.entries(sent).filter(([field, value]) => value !== undefined && !(value === null && has(field)));
  // safe because only optional fields are added; fromEntries, because a key may be __proto__
  return Object.fromEntries([...kept, ...named]) as Item;
}
