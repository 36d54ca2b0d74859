import type { Canvas } from "../../timeline/timeline.ts";
import type { ExportSettings } from "../templates/templates.ts";

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

export type EditorData = {
  readonly videoTrack: readonly TrackAction[];
  readonly textTrack: readonly TrackAction[];
  readonly imageTrack: readonly TrackAction[];
  readonly audioTrack: readonly TrackAction[];
  readonly [key: string]: unknown;
};

/** An editor's overlay: the fields are those of an export's texts and images; unknown ones are kept. */
export type EditorOverlay = { readonly [key: string]: unknown };

/** Unknown keys are kept. Keyed by overlay id, any string: read with Object.hasOwn, build with Object.fromEntries. */
export type EditorState = {
  readonly editorData: EditorData;
  readonly textOverlays: { readonly [id: string]: EditorOverlay };
  readonly imageOverlays: { readonly [id: string]: EditorOverlay };
  readonly audioUrl?: string;
  readonly audioVolume: number;
  readonly exportSettings: ExportSettings;
  readonly [key: string]: unknown;
};

/** An editor's state as a caller may give it: whatever is missing gets its default. */
export type EditorStateDraft = {
  readonly editorData?: Partial<EditorData>;
  /** Read only when `editorData` is absent. */
  readonly textTrack?: readonly TrackAction[];
  readonly imageTrack?: readonly TrackAction[];
  readonly textOverlays?: EditorState["textOverlays"];
  readonly imageOverlays?: EditorState["imageOverlays"];
  readonly audioUrl?: string;
  readonly audioVolume?: number;
  readonly exportSettings?: Partial<ExportSettings>;
  readonly [key: string]: unknown;
};

/** An upright full-HD picture: the frame of a work that names none. */
export const defaultResolution: Canvas = { width: 1080, height: 1920 };
export const defaultFps = 30;

/** Unknown keys stay. `resolution` is the work's own, the default of the export settings. */
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

/** What callers see: the text and the image track also at the top, the same lists. */
export const shownEditorState = (state: EditorState) => ({
  ...state,
  textTrack: state.editorData.textTrack,
  imageTrack: state.editorData.imageTrack,
});
