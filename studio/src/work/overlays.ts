import { type Draft, type Overlay, type Range, withEditor } from "./draft.ts";

export type OverlayKind = "text" | "image";
export type Placed = Range & { readonly kind: OverlayKind; readonly id: string; readonly overlay: Overlay };

const fieldsOf = { text: ["textTrack", "textOverlays"], image: ["imageTrack", "imageOverlays"] } as const;

/** Sorted from the lowest to the highest, as they are drawn. */
export const overlaysOf = ({ editor }: Draft): readonly Placed[] =>
  (["image", "text"] as const).flatMap((kind) => {
    const [track, overlays] = fieldsOf[kind];
    return editor.editorData[track].flatMap(({ id, start, end }) =>
      Object.hasOwn(editor[overlays], id) ? [{ kind, id, start, end, overlay: editor[overlays][id]! }] : [],
    );
  });

type OverlayName = Pick<Placed, "kind" | "id">;

/** Adds an overlay, or changes one. */
export function putOverlay(draft: Draft, { kind, id }: OverlayName, changes: Overlay, range?: Range): Draft {
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
    [id, { ...(isKnown ? known[id] : {}), ...changes }],
  ]);
  return withEditor(draft, { editorData: { ...editorData, [track]: placed }, [overlays]: changed });
}

export function removeOverlay(draft: Draft, { kind, id }: OverlayName): Draft {
  const [track, overlays] = fieldsOf[kind];
  const { editorData, [overlays]: known } = draft.editor;
  const kept = Object.fromEntries(Object.entries(known).filter(([key]) => key !== id));
  const actions = editorData[track].filter((action) => action.id !== id);
  return withEditor(draft, { editorData: { ...editorData, [track]: actions }, [overlays]: kept });
}
