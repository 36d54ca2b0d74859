import type { ExportRequest, Target, Work } from "../api.ts";

export type Range = { readonly start: number; readonly end: number };
/** Keys that this page does not know stay as they are. */
type Fields = { readonly [key: string]: unknown };
export type Action = Fields & Range & { readonly id: string };
export type Clip = Action & {
  readonly sceneIndex: number;
  readonly trimStart?: number;
  readonly transitionType?: string;
  readonly transitionDuration?: number;
};
export type Scene = Fields & { readonly voice_text?: string; readonly text_overlay?: string };
export type Captions = NonNullable<ExportRequest["captions"]>;
export type Music = Omit<NonNullable<ExportRequest["audio"]>, "audioUrl" | "volume">;
export type Overlay = Fields;
type Overlays = { readonly [id: string]: Overlay };
type Settings = { readonly width: number; readonly height: number; readonly fps: number };

/** What an editor saves. */
export type Editor = Fields & {
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
  readonly captions?: Captions | undefined;
  /** WebVTT by language, of those that are not shown. */
  readonly otherCaptions?: Readonly<Record<string, string>> | undefined;
  readonly voice?: ExportRequest["voice"] | undefined;
  readonly audio?: Music | undefined;
};

/** What a person changes of a work, as a whole: undo goes from one to another. */
export type Draft = { readonly scenes: readonly Scene[]; readonly editor: Editor };

const defaultSize = { width: 1080, height: 1920 };
const defaultSceneSeconds = 5;

/** As the service reads a saved work: without a track, the scenes that have media are one. */
export function draftOf({ scenes, generatedScenes, editorState, resolution = defaultSize }: Work): Draft {
  // the tracks of texts and images are in it twice
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
  const editor = saved as unknown as Editor;
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

export const clipsOf = ({ editor }: Draft): readonly Clip[] => editor.editorData.videoTrack;
export const secondsOf = (draft: Draft): number => Math.max(0, ...clipsOf(draft).map(({ end }) => end));

export const round = (seconds: number): number => Math.round(seconds * 1000) / 1000;

/** Draft after draft, with the way back. Changes with the same tag, one after another, are one step. */
export type History = {
  readonly past: readonly Draft[];
  readonly present: Draft;
  readonly future: readonly Draft[];
  readonly tag?: string | undefined;
};

const maxSteps = 200;

export const begin = (present: Draft): History => ({ past: [], present, future: [] });

export function commit({ past, present, tag: last }: History, next: Draft, tag?: string): History {
  const goesOn = tag !== undefined && tag === last;
  return { past: goesOn ? past : [...past.slice(1 - maxSteps), present], present: next, future: [], tag };
}

export function undo(history: History): History {
  const { past, present, future } = history;
  const before = past.at(-1);
  return before ? { past: past.slice(0, -1), present: before, future: [present, ...future] } : history;
}

export function redo(history: History): History {
  const { past, present, future } = history;
  const [after, ...rest] = future;
  return after ? { past: [...past, present], present: after, future: rest } : history;
}

export const withEditor = (draft: Draft, changes: Partial<Editor>): Draft => ({
  ...draft,
  editor: { ...draft.editor, ...changes },
});

export const changeScene = (draft: Draft, index: number, changes: Partial<Scene>): Draft => ({
  ...draft,
  scenes: draft.scenes.map((scene, at) => (at === index ? { ...scene, ...changes } : scene)),
});

export const changeClip = (draft: Draft, id: string, changes: Partial<Clip>): Draft =>
  withClips(
    draft,
    clipsOf(draft).map((clip) => (clip.id === id ? { ...clip, ...changes } : clip)),
  );

/** Puts the clip at another place: all then follow each other. */
export function moveClip(draft: Draft, id: string, to: number): Draft {
  const clips = clipsOf(draft);
  const clip = clips.find((each) => each.id === id);
  const place = Math.max(0, Math.min(to, clips.length - 1));
  if (!clip || clips[place] === clip) return draft;
  const moved = clips.filter((each) => each !== clip).toSpliced(place, 0, clip);
  let start = clips[0]!.start;
  return withClips(
    draft,
    moved.map((each) => {
      const begins = start;
      start = round(start + each.end - each.start);
      return { ...each, start: begins, end: start };
    }),
  );
}

export function removeClip(draft: Draft, id: string): Draft {
  const clips = clipsOf(draft);
  const at = clips.findIndex((clip) => clip.id === id);
  if (at === -1 || clips.length === 1) return draft;
  const { start, end } = clips[at]!;
  const by = start - (clips[at + 1]?.start ?? end);
  return withClips(
    draft,
    clips.filter((clip) => clip.id !== id).map((clip, place) => (place < at ? clip : shifted(clip, by))),
  );
}

/** At least three frames of the slowest films. */
export const leastSeconds = 0.2;

/** Where the clip begins and ends in its source, in seconds. What comes later moves along. */
export function trimClip(
  draft: Draft,
  id: string,
  { from, to }: { readonly from: number; readonly to: number },
): Draft {
  const clips = clipsOf(draft);
  const at = clips.findIndex((clip) => clip.id === id);
  const clip = clips[at];
  if (!clip) return draft;
  const trimStart = round(Math.max(0, from));
  const end = round(clip.start + Math.max(leastSeconds, to - trimStart));
  const trimmed = clips.map((each, place) => {
    if (place < at) return each;
    return place === at ? { ...each, trimStart, end } : shifted(each, end - clip.end);
  });
  return withClips(draft, trimmed);
}

const shifted = <Shifted extends Range>(range: Shifted, by: number): Shifted => ({
  ...range,
  start: round(range.start + by),
  end: round(range.end + by),
});

/** Words may leave with the picture, while the next scene comes. */
const tailSeconds = 0.5;
const tolerance = 0.001;

/** Where something is after the clips have changed: it goes with the clip in which it begins; undefined if that is gone. */
function retime(range: Range, before: readonly Clip[], after: readonly Clip[]): Range | undefined {
  const clip = before.findLast(({ start }) => start <= range.start + tolerance);
  if (!clip) return range;
  const endOf = (clips: readonly Clip[]) => Math.max(0, ...clips.map(({ end }) => end));
  if (range.end > clip.end + tailSeconds) {
    const staysToEnd = range.end >= endOf(before) - tolerance;
    return { ...range, end: staysToEnd ? Math.max(endOf(after), range.start + leastSeconds) : range.end };
  }
  const next = after.find(({ id }) => id === clip.id);
  if (!next) return undefined;
  const [oldLength, length] = [clip.end - clip.start, next.end - next.start];
  const endsWithClip = range.end >= clip.end - tailSeconds;
  const end = endsWithClip ? range.end - clip.start + length - oldLength : Math.min(range.end - clip.start, length);
  const start = Math.max(0, Math.min(range.start - clip.start, end - leastSeconds));
  return { start: round(next.start + start), end: round(next.start + Math.max(end, start + leastSeconds)) };
}

/** With other clips: texts, images and captions go with theirs. */
function withClips(draft: Draft, videoTrack: readonly Clip[]): Draft {
  const before = clipsOf(draft);
  const { editorData, captions, otherCaptions } = draft.editor;
  const isSame = videoTrack.length === before.length && videoTrack.every((clip, at) => hasTimesOf(clip, before[at]!));
  if (isSame) return withEditor(draft, { editorData: { ...editorData, videoTrack } });
  const follow = <Timed extends Range>(list: readonly Timed[]) =>
    list.flatMap((item) => {
      const range = retime(item, before, videoTrack);
      return range ? [{ ...item, ...range }] : [];
    });
  const followed = (vtt: string) => vttOf(follow(rowsOf(vtt)).toSorted((a, b) => a.start - b.start));
  const textTrack = follow(editorData.textTrack);
  const imageTrack = follow(editorData.imageTrack);
  return withEditor(draft, {
    editorData: { ...editorData, videoTrack, textTrack, imageTrack },
    ...(captions?.vtt && { captions: { ...captions, vtt: followed(captions.vtt) } }),
    ...(otherCaptions && {
      otherCaptions: Object.fromEntries(Object.entries(otherCaptions).map(([tag, vtt]) => [tag, followed(vtt)])),
    }),
  });
}

const hasTimesOf = (clip: Clip, { id, start, end }: Clip): boolean =>
  clip.id === id && clip.start === start && clip.end === end;

export type OverlayKind = "text" | "image";
export type Placed = Range & { readonly kind: OverlayKind; readonly id: string; readonly overlay: Overlay };

const fieldsOf = { text: ["textTrack", "textOverlays"], image: ["imageTrack", "imageOverlays"] } as const;

/** From the lowest to the highest, as they are drawn. */
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

/** A caption that is shown at once; `marks` are the times of its words, if all are known. */
export type Row = Range & { readonly text: string; readonly marks?: readonly number[] | undefined };

const clock = (seconds: number): string =>
  new Date(Math.round(Math.max(0, seconds) * 1000)).toISOString().slice(11, 23);
const secondsIn = (text: string): number => round(text.split(":").reduce((sum, part) => sum * 60 + Number(part), 0));

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
const escaped = (text: string): string => text.replace(/[&<>]/g, (character) => escapes[character]!);
const unescaped = (text: string): string =>
  Object.entries(escapes).reduceRight((plain, [character, name]) => plain.replaceAll(name, character), text);

/** A WebVTT file that `rowsOf` reads. */
export const vttOf = (rows: readonly Row[]): string =>
  [
    "WEBVTT\n",
    ...rows.map(({ start, end, text, marks }) => {
      let word = 0;
      let latest = start;
      const marked = escaped(text.trim()).replace(/\S+/g, (each) => {
        const mark = marks?.[word++] ?? 0;
        if (mark <= latest || mark >= end) return each;
        latest = mark;
        return `<${clock(mark)}>${each}`;
      });
      // a blank line would end the caption
      return `${clock(start)} --> ${clock(end)}\n${marked.replace(/\n\s*\n/g, "\n") || "…"}\n`;
    }),
  ].join("\n");

/** The captions of a file that `vttOf` has written. */
export const rowsOf = (vtt: string): readonly Row[] =>
  vtt
    .split("\n\n")
    .slice(1)
    .flatMap((block) => {
      const [times = "", ...lines] = block.trim().split("\n");
      const [start, end] = times.split(" --> ").map(secondsIn);
      if (start === undefined || end === undefined || Number.isNaN(start + end)) return [];
      const marked = lines.join("\n");
      const marks = marked.split(/\s+/).map((word) => secondsIn(/^<([\d:.]+)>/.exec(word)?.[1] ?? String(start)));
      const text = unescaped(marked.replaceAll(/<[\d:.]+>/g, ""));
      return [{ start, end, text, ...(marked.includes("<") && { marks }) }];
    });

/** Shows these captions and nothing else that captions can be made from. */
export function writeCaptions(draft: Draft, rows: readonly Row[], changes: Partial<Captions> = {}): Draft {
  const {
    from: _from,
    words: _words,
    srt: _srt,
    assetId: _assetId,
    ...look
  } = draft.editor.captions ?? { style: "karaoke" };
  return withEditor(draft, { captions: { ...look, vtt: vttOf(rows), ...changes } });
}

/** Shows the captions of another language, which begin as the ones that are shown; these are kept. */
export function translateCaptions(draft: Draft, rows: readonly Row[], from: string, to: string): Draft {
  const { [to]: known, ...others } = draft.editor.otherCaptions ?? {};
  const shown = writeCaptions(draft, rows, { language: to, ...(known && { vtt: known }) });
  return withEditor(shown, { otherCaptions: { ...others, [from]: vttOf(rows) } });
}

/** The place of a clip's scene: an editor that has removed a scene may count from 1, as the service knows. */
export function sceneOf({ scenes, generatedScenes }: Work, { sceneIndex }: Clip): number {
  const isFromOne =
    scenes.length > 0 &&
    generatedScenes.length > 0 &&
    scenes.every(({ scene_index }, place) => scene_index === place + 1) &&
    generatedScenes.every((scene) => scene.sceneIndex >= 1);
  return isFromOne ? sceneIndex - 1 : sceneIndex;
}

type Ids = { readonly projectId: string; readonly workId: string };

const clipFields = ["transitionDuration", "volume", "fit", "focus"] as const;

/** The export of a draft, whole: nothing is left to what was saved. */
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
      ...Object.fromEntries(["voice", "caption"].flatMap((f) => (typeof clip[f] === "boolean" ? [[f, clip[f]]] : []))),
      ...{ sceneIndex: clip.sceneIndex, position: clip.start, end: clip.end, cutFrom: clip.trimStart },
      transition: clip.transitionType,
    })),
    texts: overlays("text"),
    images: overlays("image"),
    ...(audioUrl && { audio: { ...audio, volume: audioVolume, audioUrl } }),
    ...(voice && { voice }),
    ...(captions && { captions }),
    options: {
      ...{ width, height, fps },
      ...(typeof brand === "boolean" && { brand }),
      ...(disclosure !== undefined && { disclosure }),
    },
  };
  // safe because the service has checked what was saved, and this page writes what it takes
  return request as ExportRequest;
}

const newer = { group: "string", layer: "number", maxHeight: "number", verticalAlign: "string" } as const;

/** Without keys that another editor has saved for itself under the names of newer fields. */
const known = (overlay: Overlay): Overlay =>
  Object.fromEntries(
    Object.entries(overlay).filter(
      ([key, value]) => !(key in newer) || typeof value === newer[key as keyof typeof newer],
    ),
  );

/** The export of one clip alone, from 0 on: its picture changes with it, and not with the others. */
export function requestOfClip(draft: Draft, ids: Ids, clip: Clip): ExportRequest {
  const { audio: _audio, voice: _voice, captions: _captions, ...request } = requestOf(draft, ids);
  const at = (clip.start + clip.end) / 2;
  const isSeen = ({ position, end }: { position: number; end: number }) => position <= at && end > at;
  const shown = <Timed extends { position: number; end: number }>(list: readonly Timed[] | null | undefined) =>
    (list ?? [])
      .filter(isSeen)
      .map((item) => ({ ...item, position: 0, end: clip.end - clip.start, animateIn: undefined }));
  const own = request.clips?.[clipsOf(draft).indexOf(clip)];
  return {
    ...request,
    clips: own && [{ ...own, position: 0, end: round(clip.end - clip.start), transition: undefined }],
    texts: shown(request.texts),
    images: shown(request.images),
    options: { ...request.options, brand: false },
  };
}
