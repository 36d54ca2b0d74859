import { z } from "zod";
import { DomainError, type Issue } from "../../../errors.ts";
import { withoutUndefined } from "../../../platform/values.ts";
import { CaptionsRequest } from "../../captions/schema.ts";
import { DisclosureRequest } from "../../provenance/disclosure.ts";
import { Group, ImageLayer, TextLayer, textStyleFields } from "../../shared/text-style.ts";
import { issuesOf, parseInput } from "../../shared/validation.ts";
import { requireFound } from "../../shared/versioned.ts";
import { fillAll, type PlaceholderValues, savedValues } from "../../templates/placeholders.ts";
import type { EditorOverlay, EditorState, TrackAction } from "../../works/editor-state.ts";
import type { WorkMediaStore } from "../../works/media.ts";
import { toSceneIndexes } from "../../works/scene-indexes.ts";
import { editorStateWithTrack } from "../../works/scene-track.ts";
import type { Work } from "../../works/works.ts";
import { requireLength } from "./film-length.ts";
import { mapAssetIds } from "./layers/asset-ids.ts";
import { clipMotionFields } from "./layers/clips.ts";
import { effectFields } from "./layers/effects.ts";
import { movesOfOthers, movesOfTexts } from "./layers/moves.ts";
import { imageFields, textFields } from "./layers/overlays.ts";
import { newTextFields } from "./layers/text-fields.ts";
import { likeSaved, mayBeOfEditor } from "./like-saved.ts";
import { AudioRequest, ExportOptions, ExportRequest, VoiceRequest } from "./schema.ts";
import { canvasOf } from "./targets.ts";

declare const isComplete: unique symbol;

/** A request that is independent of the work's editor, and whose clips name scenes by index. */
export type CompleteRequest = ExportRequest & {
  readonly clips: NonNullable<ExportRequest["clips"]>;
  readonly [isComplete]: true;
};

/** The stored request of a film of a batch: the values of its row, for the batch's common request. */
export type RowRequest = Pick<ExportRequest, "projectId" | "workId" | "options" | "captions"> & {
  readonly row: { readonly batchId: string; readonly language: string; readonly values: PlaceholderValues };
  readonly clips?: never;
};

export type BaseRequests = { find(batchId: string, language: string): Promise<CompleteRequest | undefined> };

/** A cell may contain the URL of a picture in place of an asset's id. */
export const isPictureUrl = (text: string): boolean => /^https?:\/\//i.test(text);

/** Fills the base with a row's values and its film's options. The value of a URL is the asset of its picture. */
export function fillRow(base: CompleteRequest, values: PlaceholderValues, options: ExportOptions | undefined) {
  const { images, layers, ...filled } = fillAll(base, values);
  const pictureOf = (id: string): string => {
    const url = id.trim();
    return isPictureUrl(url) && Object.hasOwn(values, url) ? values[url]! : id;
  };
  return complete({
    ...filled,
    ...(images && { images: images.map((image) => ({ ...image, assetId: pictureOf(image.assetId) })) }),
    ...(layers && { layers: mapAssetIds(layers, "layers", pictureOf) }),
    options,
  });
}

/** Excludes complete requests: their indexes would be read as scene numbers of a client again. */
type SentRequest = ExportRequest & { readonly [isComplete]?: never };

type FillFromEditorPorts = { readonly workMedia: Pick<WorkMediaStore, "list"> };

/**
 * Completes a request: scene numbers become indexes, and fields that it does not name come from the work's saved
 * editor, where an empty video track means the scenes that have media. The brand fills in fields that neither has. A
 * request with its own clips takes nothing, unless they equal the saved ones. Throws nothing_to_export if no scene has
 * media.
 */
export async function fillFromEditor(
  { workMedia }: FillFromEditorPorts,
  request: SentRequest,
  work: Work,
): Promise<CompleteRequest> {
  const { clips } = request;
  if (clips) return completeFilm(fillFromSaved({ ...request, clips: withSceneIndexes(clips, work) }, work));

  // an existing track names its scenes itself
  const hasTrack = (work.editorState?.editorData.videoTrack.length ?? 0) > 0;
  const media = hasTrack ? [] : await workMedia.list(work.id);
  const saved = requestFromEditor(request, editorStateWithTrack(work, media), work);
  return completeFilm({
    ...saved,
    texts: request.texts ?? saved.texts,
    images: request.images ?? saved.images,
    layers: request.layers ?? saved.layers,
    sounds: request.sounds ?? saved.sounds,
    audio: request.audio ?? saved.audio,
    // null means that the video has none
    voice: Object.hasOwn(request, "voice") ? request.voice : saved.voice,
    captions: Object.hasOwn(request, "captions") ? request.captions : saved.captions,
    gate: request.gate,
    platforms: request.platforms,
    rules: request.rules,
    options: { ...saved.options, ...withoutUndefined(request.options ?? {}) },
  });
}

function completeFilm(request: ExportRequest): CompleteRequest {
  requireLength(request);
  return complete(request);
}

// safe because both callers have converted the scene numbers of all clips
const complete = (request: ExportRequest) => request as CompleteRequest;

export type StoredRequestPorts = FillFromEditorPorts & { readonly batchBases: BaseRequests };

/** The request of a job. One that an early release stored may lack clips. Throws not_found without its batch. */
export const storedRequest = async (
  ports: StoredRequestPorts,
  { request }: { readonly request: CompleteRequest | RowRequest },
  work: Work,
): Promise<CompleteRequest> => {
  if ("row" in request) return await rowRequest(ports, request);
  const { clips, ...rest }: ExportRequest = request;
  return clips ? request : await fillFromEditor(ports, rest, work);
};

export async function rowRequest(ports: StoredRequestPorts, { row, options }: RowRequest): Promise<CompleteRequest> {
  const { batchId, language, values } = row;
  return fillRow(requireFound(await ports.batchBases.find(batchId, language)), values, options);
}

/** Replaces scene numbers by scene indexes. Items without a number stay unchanged. */
export function withSceneIndexes<Item extends { readonly sceneIndex?: number | undefined } | undefined>(
  items: readonly Item[],
  work: Work,
): Item[] {
  const numbers = items.flatMap((item) => item?.sceneIndex ?? []);
  const indexes = toSceneIndexes(work, numbers).values();
  return items.map((item) => {
    // as in `numbers`, so that each item gets the index of its own number
    const hasNumber = (item?.sceneIndex ?? undefined) !== undefined;
    return hasNumber ? { ...item, sceneIndex: indexes.next().value } : item;
  });
}

/** Fills a request of an editor for its saved state with the saved fields that the editor does not know. */
function fillFromSaved(request: ExportRequest, work: Work): ExportRequest {
  const { editorState } = work;
  if (!editorState || !mayBeOfEditor(request, editorState.editorData.videoTrack.length)) return request;
  const saved = parseSaved(request, editorState, work);
  if (!saved.success) return request;
  return likeSaved(
    { request, canvas: canvasOf(request, work) },
    {
      request: saved.data,
      canvas: canvasOf(saved.data, work),
      isMusicKnown: editorState.audioUrl !== undefined,
    },
  );
}

function requestFromEditor(request: ExportRequest, editorState: EditorState, work: Work): ExportRequest {
  const parsed = parseSaved(request, editorState, work);
  const { layers = [], sounds = [] } = { ...parsed.data, ...withoutUndefined(request) };
  // layers or sounds alone are a film
  const isEmpty = editorState.editorData.videoTrack.length + layers.length + sounds.length === 0;
  if (isEmpty && parsed.success) {
    throw new DomainError("nothing_to_export", {});
  }
  if (parsed.success) return parsed.data;
  throw new DomainError("validation_error", { issues: issuesOf(parsed.error).map(asSaved) });
}

function parseSaved({ projectId, workId }: ExportRequest, editorState: EditorState, work: Work) {
  const actions = withSceneIndexes(editorState.editorData.videoTrack, work);
  const { editorData, textOverlays, imageOverlays, audioUrl, audioVolume } = editorState;
  const { audio, voice, captions, targets, layers, sounds } = withoutForeign(editorState, newerFields.state);
  const { duration, ...ownSettings } = withoutForeign(editorState.exportSettings, newerFields.settings);
  // an older editor's own duration has nothing to do with that of a request
  const settings = layers ? { ...ownSettings, duration } : ownSettings;
  const music = audioUrl
    ? { ...audio, volume: audioVolume, audioUrl }
    : audio?.audioUrl && { volume: audioVolume, ...audio };
  const saved = {
    projectId,
    workId,
    clips: actions.map(clipOf),
    texts: editorData.textTrack
      .flatMap((action) => overlayOf(action, textOverlays, newerFields.text))
      .map(withOwnWords),
    images: editorData.imageTrack.flatMap((action) => overlayOf(action, imageOverlays, newerFields.image)),
    ...{ layers, sounds },
    audio: music || undefined,
    ...{ voice, captions },
    options: { ...(targets && { targets }), ...settings },
  };
  const values = savedValues(editorState);
  return parseInput(ExportRequest, Object.keys(values).length > 0 ? fillAll(saved, values) : saved);
}

const asSaved = ({ path, message }: Issue): Issue => ({
  path,
  message: message.replace(/\.?$/, " (as saved in the editor)."),
});

/** Without a scene number an action shows the scene of its own position in the track. */
const clipOf = (action: TrackAction, index: number) => ({
  ...withoutForeign(action, newerFields.clip),
  sceneIndex: action.sceneIndex ?? index,
  position: action.start,
  cutFrom: action.trimStart,
  transition: action.transitionType,
});

/** The overlay with the action's id and times; empty if there is none. */
function overlayOf(
  { id, start, end }: TrackAction,
  overlays: { readonly [id: string]: EditorOverlay },
  fields: Readonly<Record<string, z.ZodType>>,
) {
  return Object.hasOwn(overlays, id) ? [{ ...withoutForeign(overlays[id]!, fields), position: start, end }] : [];
}

/** An editor that does not know spans changes the text alone. */
function withOwnWords(overlay: EditorOverlay): EditorOverlay {
  const { spans, ...text } = overlay;
  if (!Array.isArray(spans) || !text.text) return overlay;
  return text.text === spans.map((span) => String(span?.text ?? "")).join("") ? overlay : text;
}

const { maxHeight, verticalAlign } = textStyleFields;
const { fit, focus, zoom, radius, repeat, speed } = imageFields;

/** Newer fields of requests: editors may have saved keys of their own with the same names. */
const newerFields = {
  clip: { caption: z.boolean(), voice: z.boolean(), transitionAssetId: z.string().max(100), ...clipMotionFields },
  text: {
    ...{ group: Group, layer: TextLayer, maxHeight, verticalAlign },
    ...{ ...newTextFields, ...effectFields, ...movesOfTexts },
    ...{ keyframes: textFields.keyframes, targets: textFields.targets },
  },
  image: {
    ...{ group: Group, layer: ImageLayer, fit, focus, zoom, radius, repeat, speed },
    ...{ ...effectFields, ...movesOfOthers, keyframes: imageFields.keyframes, targets: imageFields.targets },
  },
  settings: {
    brand: z.boolean(),
    disclosure: DisclosureRequest,
    duration: ExportOptions.shape.duration,
    background: ExportOptions.shape.background,
    format: ExportOptions.shape.format,
    at: ExportOptions.shape.at,
    poster: ExportOptions.shape.poster,
  },
  state: {
    audio: z.strictObject(AudioRequest.shape),
    voice: z.strictObject(VoiceRequest.shape),
    captions: z.strictObject(CaptionsRequest.shape),
    targets: ExportOptions.shape.targets,
    // what looks like layers counts as such: an invalid one is an error
    layers: z.array(z.looseObject({ type: z.string() })),
    // likewise
    sounds: z.array(z.union([z.looseObject({ assetId: z.string() }), z.looseObject({ audioUrl: z.string() })])),
  },
} satisfies Record<string, Record<string, z.ZodType>>;

/** Removes newer fields whose saved values are invalid in a request. */
const withoutForeign = (saved: object, fields: Readonly<Record<string, z.ZodType>>) =>
  Object.fromEntries(
    Object.entries(saved).filter(
      ([key, value]) => !Object.hasOwn(fields, key) || fields[key]!.safeParse(value).success,
    ),
  );
