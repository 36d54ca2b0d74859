import { DomainError } from "../../errors.ts";
import type { EditorOverlay, EditorState, TrackAction } from "../works/editor-state.ts";
import type { Work } from "../works/works.ts";
import { ExportRequest, type OptionsRequest } from "./schema.ts";

/** A request in which nothing is left to the work's editor any more. */
export type CompleteRequest = ExportRequest & { readonly clips: NonNullable<ExportRequest["clips"]> };

/** Fills in what the request leaves out: from the saved editor when it names no clips. What the request gives wins. */
export function completeRequest(request: ExportRequest, work: Work): CompleteRequest {
  const { clips } = request;
  if (clips) return { ...request, clips };

  const saved = readEditor(request, work.editorState);
  return {
    ...saved,
    texts: request.texts ?? saved.texts,
    images: request.images ?? saved.images,
    audio: request.audio ?? saved.audio,
    options: { ...saved.options, ...definedOf(request.options) },
  };
}

function readEditor({ projectId, workId }: ExportRequest, editor: EditorState | undefined): CompleteRequest {
  const actions = editor?.editorData.videoTrack ?? [];
  if (!editor || actions.length === 0) throw new DomainError("nothing_to_export", {});

  const { textTrack, imageTrack } = editor.editorData;
  const parsed = ExportRequest.safeParse({
    projectId,
    workId,
    clips: actions.map(clipOf),
    texts: textTrack.flatMap((action) => overlayOf(action, editor.textOverlays)),
    images: imageTrack.flatMap((action) => overlayOf(action, editor.imageOverlays)),
    audio: editor.audioUrl ? { volume: editor.audioVolume, audioUrl: editor.audioUrl } : undefined,
    options: editor.exportSettings,
  });
  if (parsed.success) return { ...parsed.data, clips: parsed.data.clips! }; // safe because it was given above
  throw new DomainError("validation_error", {
    issues: parsed.error.issues.map(({ path, message }) => ({
      path: path.join("."),
      message: `${message} (as saved)`,
    })),
  });
}

/** An editor that numbers no scenes shows them in order. */
const clipOf = (action: TrackAction, index: number) => ({
  ...action,
  sceneIndex: action.sceneIndex ?? index,
  position: action.start,
  cutFrom: action.trimStart,
  transition: action.transitionType,
});

/** An action without its overlay shows nothing. */
function overlayOf({ id, start, end }: TrackAction, overlays: { readonly [id: string]: EditorOverlay }) {
  return Object.hasOwn(overlays, id) ? [{ ...overlays[id], position: start, end }] : [];
}

const definedOf = (options: OptionsRequest | undefined) =>
  Object.fromEntries(Object.entries(options ?? {}).filter(([, value]) => value !== undefined));
