import type { Canvas } from "../../engine/timeline/timeline.ts";

export type ExportSettings = { readonly width: number; readonly height: number; readonly fps: number };

export type TrackAction = {
  readonly id: string;
  readonly start: number;
  readonly end: number;
  readonly sceneIndex?: number;
  readonly trimStart?: number;
  readonly trimEnd?: number;
  readonly transitionType?: string;
  readonly transitionDuration?: number;
  readonly [key: string]: unknown;
};

type EditorData = {
  readonly videoTrack: readonly TrackAction[];
  readonly textTrack: readonly TrackAction[];
  readonly imageTrack: readonly TrackAction[];
  readonly audioTrack: readonly TrackAction[];
  readonly [key: string]: unknown;
};

/** An overlay of the editor, with the fields of an export's texts and images. Unknown keys are stored too. */
export type EditorOverlay = { readonly [key: string]: unknown };

/** Includes unknown keys. Ids of overlays are any strings, even `__proto__`: read them with Object.hasOwn. */
export type EditorState = {
  readonly editorData: EditorData;
  readonly textOverlays: { readonly [id: string]: EditorOverlay };
  readonly imageOverlays: { readonly [id: string]: EditorOverlay };
  readonly audioUrl?: string;
  readonly audioVolume: number;
  readonly exportSettings: ExportSettings;
  readonly [key: string]: unknown;
};

/** A caller's editor state. Missing fields get defaults. */
export type EditorStateDraft = {
  readonly editorData?: Partial<EditorData>;
  /** Used only if `editorData` is absent. */
  readonly textTrack?: readonly TrackAction[];
  readonly imageTrack?: readonly TrackAction[];
  readonly textOverlays?: EditorState["textOverlays"];
  readonly imageOverlays?: EditorState["imageOverlays"];
  readonly audioUrl?: string;
  readonly audioVolume?: number;
  readonly exportSettings?: Partial<ExportSettings>;
  readonly [key: string]: unknown;
};

/** The size as JSON: a larger state could not be sent back in a request. */
export const maxEditorStateKibibytes = 2048;

/** Portrait full HD, for works without a resolution. */
export const defaultResolution: Canvas = { width: 1080, height: 1920 };
export const defaultFps = 30;

/** Fills in the defaults of missing fields and keeps unknown keys. The export settings default to `resolution`. */
export function completeEditorState(draft: EditorStateDraft, resolution: Canvas = defaultResolution): EditorState {
  const { textTrack = [], imageTrack = [], editorData = { textTrack, imageTrack }, exportSettings, ...rest } = draft;
  return {
    textOverlays: {},
    imageOverlays: {},
    audioVolume: 1,
    ...rest,
    editorData: { videoTrack: [], textTrack: [], imageTrack: [], audioTrack: [], ...editorData },
    exportSettings: { ...resolution, fps: defaultFps, ...exportSettings },
  };
}

/** The callers' view, without internal fields: the text and image tracks are also at the top level. */
export const editorStateView = ({ shownScenes: _, ...state }: EditorState) => ({
  ...state,
  textTrack: state.editorData.textTrack,
  imageTrack: state.editorData.imageTrack,
});
