import type { ExportRequest, Target, Work } from "../api.ts";

export type Range = { readonly start: number; readonly end: number };
/** Keys that this page does not know are kept unchanged. */
type Fields = { readonly [key: string]: unknown };
type Action = Fields & Range & { readonly id: string };
export type Clip = Action & {
  readonly sceneIndex: number;
  readonly trimStart?: number;
  readonly transitionType?: string;
  readonly transitionDuration?: number;
};
type Scene = Fields & { readonly voice_text?: string; readonly text_overlay?: string };
export type Captions = NonNullable<ExportRequest["captions"]>;
export type Music = Omit<NonNullable<ExportRequest["audio"]>, "audioUrl" | "volume">;
export type Overlay = Fields;
type Overlays = { readonly [id: string]: Overlay };
/** A layer of a request: without `position` it begins with the film, without `end` it ends with it. */
export type Layer = Fields & { readonly id: string; readonly position?: number; readonly end?: number };
export type Sound = Fields & { readonly position?: number; readonly end?: number; readonly cutFrom?: number };
type Settings = { readonly width: number; readonly height: number; readonly fps: number };

/** The state that an editor saves. */
type Editor = Fields & {
  readonly editorData: Fields & {
    readonly videoTrack: readonly Clip[];
    readonly textTrack: readonly Action[];
    readonly imageTrack: readonly Action[];
  };
  readonly textOverlays: Overlays;
  readonly imageOverlays: Overlays;
  readonly audioUrl?: string | undefined;
  readonly audioVolume: number;
  readonly exportSettings: Settings & { readonly targets?: readonly Target[] | undefined } & Fields;
  /** The targets of a film, until others are chosen. */
  readonly targets?: readonly Target[] | undefined;
  readonly captions?: Captions | undefined;
  /** WebVTT of the hidden captions, by language. */
  readonly otherCaptions?: Readonly<Record<string, string>> | undefined;
  readonly voice?: ExportRequest["voice"] | undefined;
  readonly audio?: Music | undefined;
  /** Everything that is drawn beside the tracks, and sounds besides the music. */
  readonly layers?: readonly Layer[] | undefined;
  readonly sounds?: readonly Sound[] | undefined;
};

/** Everything that a person edits in a work; undo moves between drafts. */
export type Draft = { readonly scenes: readonly Scene[]; readonly editor: Editor };

const defaultSize = { width: 1080, height: 1920 };
const defaultSceneSeconds = 5;

/** Reads a saved work as the service does: without a track, the scenes with media form one. */
export function draftOf({ scenes, generatedScenes, editorState, resolution = defaultSize }: Work): Draft {
  // it contains the text and image tracks twice
  const {
    textTrack: _texts,
    imageTrack: _images,
    ...saved
  } = editorState ?? {
    editorData: { videoTrack: [], textTrack: [], imageTrack: [], audioTrack: [] },
    textOverlays: {},
    imageOverlays: {},
    audioVolume: 1,
    exportSettings: { ...resolution, fps: 30 },
  };
  // safe because every work that is shown has these fields
  const editor = withMusic(saved as unknown as Editor);
  const { editorData } = editor;
  let start = 0;
  const sceneTrack = generatedScenes
    .filter(({ imageUrl, videoUrl }) => imageUrl ?? videoUrl)
    .toSorted((one, other) => one.sceneIndex - other.sceneIndex)
    .map(({ sceneIndex }): Clip => {
      const end = start + (scenes[sceneIndex]?.duration_seconds || defaultSceneSeconds);
      const clip = { id: `clip-${sceneIndex}`, start, end, sceneIndex };
      start = end;
      return clip;
    });
  const savedTrack = editorData.videoTrack.map((clip, at) => ({ ...clip, sceneIndex: clip.sceneIndex ?? at }));
  const videoTrack = (savedTrack.length > 0 ? savedTrack : sceneTrack).toSorted((a, b) => a.start - b.start);
  return { scenes, editor: { ...editor, editorData: { ...editorData, videoTrack } } };
}

/** Keeps the film's music with its settings until other music is chosen. */
function withMusic(editor: Editor): Editor {
  const { audioUrl, ...audio } = (editor.audio ?? {}) as Music & { readonly audioUrl?: string };
  return audioUrl === undefined ? editor : { ...editor, audio, audioUrl: editor.audioUrl ?? audioUrl };
}

type Items = { readonly [id: string]: Fields };

/** Adds null for each field removed since `before`: the service keeps fields that a save leaves out. */
const withRemoved = <Item extends Fields>(now: Item, before: Fields = {}): Item =>
  ({
    ...Object.fromEntries(Object.keys(before).map((field) => [field, null])),
    ...Object.fromEntries(Object.entries(now).filter(([, value]) => value !== undefined)),
  }) as Item;

/** The state to save for a draft, relative to what was loaded or saved before. */
export function savedEditor({ editor }: Draft, { editor: before }: Draft): Editor {
  const all = (now: Items, known: Items) =>
    Object.fromEntries(
      Object.entries(now).map(([id, item]) => [id, withRemoved(item, Object.hasOwn(known, id) ? known[id] : {})]),
    );
  const clips = new Map(before.editorData.videoTrack.map((clip) => [clip.id, clip]));
  return {
    ...withRemoved(editor, before),
    editorData: {
      ...editor.editorData,
      videoTrack: editor.editorData.videoTrack.map((clip) => withRemoved(clip, clips.get(clip.id))),
    },
    textOverlays: all(editor.textOverlays, before.textOverlays),
    imageOverlays: all(editor.imageOverlays, before.imageOverlays),
    exportSettings: withRemoved(editor.exportSettings, before.exportSettings),
  };
}

/** Lists that another editor saved for itself are not shown. */
export const layersOf = ({ editor: { layers } }: Draft): readonly Layer[] =>
  Array.isArray(layers) && layers.every((layer) => typeof layer?.type === "string") ? layers : [];
export const soundsOf = ({ editor: { sounds } }: Draft): readonly Sound[] => (Array.isArray(sounds) ? sounds : []);

export const clipsOf = ({ editor }: Draft): readonly Clip[] => editor.editorData.videoTrack;
export const secondsOf = (draft: Draft): number => Math.max(0, ...clipsOf(draft).map(({ end }) => end));

export const round = (seconds: number): number => Math.round(seconds * 1000) / 1000;

/** When something new is shown: from the playhead, but near the end of the film early enough to be seen. */
export function newRange(draft: Draft, now: number, seconds: number): Range {
  const whole = secondsOf(draft);
  const start = Math.max(0, Math.min(now, whole - Math.min(seconds, 1)));
  return { start: round(start), end: round(Math.max(start + 0.2, Math.min(start + seconds, whole))) };
}

export const withEditor = (draft: Draft, changes: Partial<Editor>): Draft => ({
  ...draft,
  editor: { ...draft.editor, ...changes },
});

export const changeScene = (draft: Draft, index: number, changes: Partial<Scene>): Draft => ({
  ...draft,
  scenes: draft.scenes.map((scene, at) => (at === index ? { ...scene, ...changes } : scene)),
});

/** The index of a clip's scene: an editor that has removed a scene may count from 1, as the service knows. */
export function sceneOf({ scenes, generatedScenes }: Work, { sceneIndex }: Clip): number {
  const isFromOne =
    scenes.length > 0 &&
    generatedScenes.length > 0 &&
    scenes.every(({ scene_index }, place) => scene_index === place + 1) &&
    generatedScenes.every((scene) => scene.sceneIndex >= 1);
  return isFromOne ? sceneIndex - 1 : sceneIndex;
}
