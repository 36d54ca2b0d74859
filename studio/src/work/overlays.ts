import { type Draft, type Layer, layersOf, type Overlay, type Range, secondsOf, withEditor } from "./draft.ts";

export type OverlayKind = "text" | "image" | "layer";
export type Placed = Range & { readonly kind: OverlayKind; readonly id: string; readonly overlay: Overlay };

const fieldsOf = { text: ["textTrack", "textOverlays"], image: ["imageTrack", "imageOverlays"] } as const;

/** In the order of the lists, which is that of drawing where `layer` numbers are equal. */
export const overlaysOf = (draft: Draft): readonly Placed[] => {
  const { editor } = draft;
  const end = secondsOf(draft);
  const placed = (["image", "text"] as const).flatMap((kind) => {
    const [track, overlays] = fieldsOf[kind];
    return editor.editorData[track].flatMap(({ id, start, end }): readonly Placed[] =>
      Object.hasOwn(editor[overlays], id) ? [{ kind, id, start, end, overlay: editor[overlays][id]! }] : [],
    );
  });
  const layers = layersOf(draft).map((layer): Placed => {
    const start = layer.position ?? 0;
    return { kind: "layer", id: layer.id, start, end: Math.max(start, layer.end ?? end), overlay: layer };
  });
  return [...placed, ...layers];
};

export type OverlayName = Pick<Placed, "kind" | "id">;

/** Fields whose places in other formats are derived again once they change. */
const placing = ["centerX", "centerY", "x", "y", "fontSize", "width", "height", "maxWidth", "maxHeight"];

/** An overlay with changes. What is placed here is placed from here in all formats. */
const merged = (known: Overlay, changes: Overlay): Overlay => {
  const isPlaced = placing.some((field) => Object.hasOwn(changes, field) && changes[field] !== known[field]);
  return { ...known, ...(isPlaced && known.targets !== undefined && { targets: undefined }), ...changes };
};

/** Adds an overlay, or changes one. */
export function putOverlay(draft: Draft, { kind, id }: OverlayName, changes: Overlay, range?: Range): Draft {
  if (kind === "layer") return putLayer(draft, id, changes, range);
  const [track, overlays] = fieldsOf[kind];
  const { editorData, [overlays]: known } = draft.editor;
  const isKnown = Object.hasOwn(known, id);
  const actions = editorData[track];
  const placed = isKnown
    ? actions.map((action) => (action.id === id ? { ...action, ...range } : action))
    : [...actions, { id, start: 0, end: 0, ...range }];
  // fromEntries, because a key may be __proto__
  const changed = Object.fromEntries([
    ...Object.entries(known).filter(([key]) => key !== id),
    [id, merged(isKnown ? known[id]! : {}, changes)],
  ]);
  return withEditor(draft, { editorData: { ...editorData, [track]: placed }, [overlays]: changed });
}

function putLayer(draft: Draft, id: string, changes: Overlay, range?: Range): Draft {
  const layers = layersOf(draft);
  const times = range && { position: range.start, end: range.end };
  const known = layers.find((layer) => layer.id === id);
  const layer: Layer = { ...merged(known ?? {}, changes), id, ...times };
  return withEditor(draft, {
    layers: known ? layers.map((each) => (each === known ? layer : each)) : [...layers, layer],
  });
}

export function removeOverlay(draft: Draft, { kind, id }: OverlayName): Draft {
  if (kind === "layer") return withEditor(draft, { layers: layersOf(draft).filter((layer) => layer.id !== id) });
  const [track, overlays] = fieldsOf[kind];
  const { editorData, [overlays]: known } = draft.editor;
  const kept = Object.fromEntries(Object.entries(known).filter(([key]) => key !== id));
  const actions = editorData[track].filter((action) => action.id !== id);
  return withEditor(draft, { editorData: { ...editorData, [track]: actions }, [overlays]: kept });
}
