import { z } from "zod";
import { DomainError, type Issue } from "../../errors.ts";
import { Group, textStyleFields } from "../shared/text-style.ts";
import { issuesOf, parseInput } from "../shared/validation.ts";
import type { EditorOverlay, EditorState, TrackAction } from "../works/editor-state.ts";
import type { WorkMediaStore } from "../works/media.ts";
import { placesOf } from "../works/scene-numbers.ts";
import { editorStateWithTrack } from "../works/scene-track.ts";
import type { Work } from "../works/works.ts";
import { type ExportOptions, ExportRequest } from "./schema.ts";

/** A request that takes nothing from the work's editor. */
export type CompleteRequest = ExportRequest & { readonly clips: NonNullable<ExportRequest["clips"]> };

type FillFromEditorPorts = { readonly workMedia: Pick<WorkMediaStore, "list"> };

/**
 * Completes a request without clips from the work's saved editor, in which an empty video track stands for the scenes
 * that have media. Throws nothing_to_export if no scene has.
 */
export async function fillFromEditor(
  { workMedia }: FillFromEditorPorts,
  request: ExportRequest,
  work: Work,
): Promise<CompleteRequest> {
  const { clips } = request;
  if (clips) return { ...request, clips: withPlaces(clips, work) };

  const saved = requestFromEditor(request, editorStateWithTrack(work, await workMedia.list(work.id)));
  return {
    ...saved,
    clips: withPlaces(saved.clips, work),
    texts: request.texts ?? saved.texts,
    images: request.images ?? saved.images,
    audio: request.audio ?? saved.audio,
    voice: request.voice,
    captions: request.captions,
    options: { ...saved.options, ...withoutUndefined(request.options) },
  };
}

/** The clips with the places of their scenes, where the client numbers its scenes otherwise. */
function withPlaces(clips: CompleteRequest["clips"], work: Work): CompleteRequest["clips"] {
  const places = placesOf(
    work,
    clips.map(({ sceneIndex }) => sceneIndex),
  );
  return clips.map((clip, at) => ({ ...clip, sceneIndex: places[at]! }));
}

function requestFromEditor({ projectId, workId }: ExportRequest, editorState: EditorState): CompleteRequest {
  const actions = editorState.editorData.videoTrack;
  if (actions.length === 0) throw new DomainError("nothing_to_export", {});

  const { editorData, textOverlays, imageOverlays, audioUrl, audioVolume } = editorState;
  const parsed = parseInput(ExportRequest, {
    projectId,
    workId,
    clips: actions.map(clipOf),
    texts: editorData.textTrack.flatMap((action) => overlayOf(action, textOverlays)),
    images: editorData.imageTrack.flatMap((action) => overlayOf(action, imageOverlays)),
    audio: audioUrl ? { volume: audioVolume, audioUrl } : undefined,
    options: withoutForeign(editorState.exportSettings, newerFields.settings),
  });
  if (parsed.success) return { ...parsed.data, clips: parsed.data.clips! }; // safe because it was given above
  throw new DomainError("validation_error", { issues: issuesOf(parsed.error).map(asSaved) });
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
function overlayOf({ id, start, end }: TrackAction, overlays: { readonly [id: string]: EditorOverlay }) {
  return Object.hasOwn(overlays, id)
    ? [{ ...withoutForeign(overlays[id]!, newerFields.overlay), position: start, end }]
    : [];
}

const { maxHeight, verticalAlign } = textStyleFields;

/** Fields that requests did not always have: editors may have saved keys of their own with the same names. */
const newerFields = {
  clip: { caption: z.boolean(), voice: z.boolean() },
  overlay: { group: Group, maxHeight, verticalAlign },
  settings: { brand: z.boolean() },
} satisfies Record<string, Record<string, z.ZodType>>;

/** What was saved without the newer fields whose values are none of a request. */
const withoutForeign = (saved: object, fields: Readonly<Record<string, z.ZodType>>) =>
  Object.fromEntries(
    Object.entries(saved).filter(
      ([key, value]) => !Object.hasOwn(fields, key) || fields[key]!.safeParse(value).success,
    ),
  );

const withoutUndefined = (options: ExportOptions | undefined) =>
  Object.fromEntries(Object.entries(options ?? {}).filter(([, value]) => value !== undefined));
