import { DomainError } from "../../errors.ts";
import type { EditorOverlay, EditorState, TrackAction } from "../works/editor-state.ts";
import type { Work } from "../works/works.ts";
import { type ExportOptions, ExportRequest } from "./schema.ts";

/** A request that takes nothing from the work's editor. */
export type CompleteRequest = ExportRequest & { readonly clips: NonNullable<ExportRequest["clips"]> };

/** Completes a request without clips from the work's saved editor. Throws nothing_to_export if that has none either. */
export function fillFromEditor(request: ExportRequest, work: Work): CompleteRequest {
  const { clips } = request;
  if (clips) return { ...request, clips };

  const saved = requestFromEditor(request, work.editorState);
  return {
    ...saved,
    texts: request.texts ?? saved.texts,
    images: request.images ?? saved.images,
    audio: request.audio ?? saved.audio,
    options: { ...saved.options, ...withoutUndefined(request.options) },
  };
}

function requestFromEditor(
  { projectId, workId }: ExportRequest,
  editorState: EditorState | undefined,
): CompleteRequest {
  const actions = editorState?.editorData.videoTrack ?? [];
  if (!editorState || actions.length === 0) throw new DomainError("nothing_to_export", {});

  const { editorData, textOverlays, imageOverlays, audioUrl, audioVolume } = editorState;
  const parsed = ExportRequest.safeParse({
    projectId,
    workId,
    clips: actions.map(clipOf),
    texts: editorData.textTrack.flatMap((action) => overlayOf(action, textOverlays)),
    images: editorData.imageTrack.flatMap((action) => overlayOf(action, imageOverlays)),
    audio: audioUrl ? { volume: audioVolume, audioUrl } : undefined,
    options: editorState.exportSettings,
  });
  if (parsed.success) return { ...parsed.data, clips: parsed.data.clips! }; // safe because it was given above
  throw new DomainError("validation_error", {
    issues: parsed.error.issues.map(({ path, message }) => ({
      path: path.join("."),
      message: `${message} (as saved)`,
    })),
  });
}

/** Without a scene number an action shows the scene of its own position in the track. */
const clipOf = (action: TrackAction, index: number) => ({
  ...action,
  sceneIndex: action.sceneIndex ?? index,
  position: action.start,
  cutFrom: action.trimStart,
  transition: action.transitionType,
});

/** The overlay with the action's id and times; empty if there is none. */
function overlayOf({ id, start, end }: TrackAction, overlays: { readonly [id: string]: EditorOverlay }) {
  return Object.hasOwn(overlays, id) ? [{ ...overlays[id], position: start, end }] : [];
}

const withoutUndefined = (options: ExportOptions | undefined) =>
  Object.fromEntries(Object.entries(options ?? {}).filter(([, value]) => value !== undefined));
