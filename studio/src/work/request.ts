import type { ExportRequest, Target } from "../api.ts";
import { ownFormat } from "./bench.ts";
import { type Clip, clipsOf, type Draft, layersOf, type Overlay, round, soundsOf } from "./draft.ts";
import { type OverlayKind, overlaysOf } from "./overlays.ts";

type Ids = { readonly projectId: string; readonly workId: string };

/** Another editor may have saved keys of its own with these names. */
const newerOfClips = {
  ...{ voice: "boolean", caption: "boolean", speed: "number", reverse: "boolean", opacity: "number" },
  ...{ filter: "object", mask: "object" },
} as const;

const clipFields = ["transitionDuration", "volume", "fit", "focus"] as const;

/** The complete export of a draft: missing fields are null, so that none comes from the saved editor. */
export function requestOf(draft: Draft, ids: Ids): ExportRequest {
  const { editor } = draft;
  const { audioUrl, audioVolume, audio, captions, voice } = editor;
  const { width, height, fps, brand, disclosure } = editor.exportSettings;
  const placed = overlaysOf(draft);
  const overlays = (kind: OverlayKind) =>
    placed
      .filter((each) => each.kind === kind)
      .map(({ overlay, start, end }) => ({ ...known(overlay), position: start, end }));
  const request = {
    ...ids,
    clips: clipsOf(draft).map((clip) => ({
      ...Object.fromEntries(clipFields.flatMap((field) => (field in clip ? [[field, clip[field]]] : []))),
      ...Object.fromEntries(
        Object.entries(newerOfClips).flatMap(([name, type]) =>
          typeof clip[name] === type ? [[name, clip[name]]] : [],
        ),
      ),
      ...{ sceneIndex: clip.sceneIndex, position: clip.start, end: clip.end, cutFrom: clip.trimStart },
      transition: clip.transitionType,
    })),
    texts: overlays("text"),
    images: overlays("image"),
    // otherwise those of the saved editor
    ...(layersOf(draft).length > 0 || !editor.layers?.length ? { layers: layersOf(draft) } : {}),
    ...(soundsOf(draft).length > 0 || !editor.sounds?.length ? { sounds: soundsOf(draft) } : {}),
    audio: audioUrl ? { ...audio, volume: audioVolume, audioUrl } : null,
    voice: voice ?? null,
    captions: captions ?? null,
    options: {
      ...{ width, height, fps },
      ...(typeof brand === "boolean" && { brand }),
      ...(disclosure !== undefined && { disclosure }),
    },
  };
  // safe because the service validated what was saved, and this page writes valid values
  return request as ExportRequest;
}

/** The formats of a draft's export. */
export function targetsOf(draft: Draft): readonly Target[] {
  const own = ownFormat(draft);
  return draft.editor.exportSettings.targets ?? draft.editor.targets ?? (own ? [own] : []);
}

/** The export of a draft in its formats. */
export function exportOf(draft: Draft, ids: Ids): ExportRequest {
  const request = requestOf(draft, ids);
  const [first, ...others] = targetsOf(draft);
  const isOwn = first === undefined || (others.length === 0 && first === ownFormat(draft));
  return isOwn ? request : { ...request, options: { ...request.options, targets: [first, ...others] } };
}

const newer = { group: "string", layer: "number", maxHeight: "number", verticalAlign: "string" } as const;

/** Drops keys of newer fields' names that another editor has saved for itself. */
const known = (overlay: Overlay): Overlay =>
  Object.fromEntries(
    Object.entries(overlay).filter(
      ([key, value]) => !(key in newer) || typeof value === newer[key as keyof typeof newer],
    ),
  );

const still = { animateIn: undefined, enter: undefined, exit: undefined, loop: undefined };

/** The export of one clip alone, starting at 0, so that its picture depends on no other clip. */
export function requestOfClip(draft: Draft, ids: Ids, clip: Clip): ExportRequest {
  const request = { ...requestOf(draft, ids), audio: null, voice: null, captions: null, sounds: [] };
  const at = (clip.start + clip.end) / 2;
  const isSeen = ({ position, end }: { position: number; end: number }) => position <= at && end > at;
  const shown = <Timed extends { position: number; end: number }>(list: readonly Timed[] | null | undefined) =>
    (list ?? []).filter(isSeen).map((item) => ({ ...item, position: 0, end: clip.end - clip.start, ...still }));
  const own = request.clips?.[clipsOf(draft).indexOf(clip)];
  return {
    ...request,
    clips: own && [{ ...own, position: 0, end: round(clip.end - clip.start), transition: undefined }],
    texts: shown(request.texts),
    images: shown(request.images),
    ...(request.layers && { layers: layersAt(request.layers, { at, start: clip.start, end: clip.end }) }),
    options: { ...request.options, brand: false },
  };
}

type Layers = NonNullable<ExportRequest["layers"]>;

/** The layers at a moment, at rest from the start of a film of their own. */
const layersAt = (layers: Layers, { at, start, end }: { at: number; start: number; end: number }): Layers =>
  layers
    .filter((layer) => (layer.position ?? 0) <= at && (layer.end ?? Number.POSITIVE_INFINITY) > at)
    .map((layer) => ({ ...layer, position: 0, end: round(end - start), enter: undefined, exit: undefined }));
