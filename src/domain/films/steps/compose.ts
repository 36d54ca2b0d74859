import type { TextMeasurer } from "../../../engine/ports.ts";
import { frameRateOf, toFrame, toSeconds } from "../../../engine/timeline/time.ts";
import type { Canvas } from "../../../engine/timeline/timeline.ts";
import type { TaskOptions } from "../../../platform/limits/concurrency-limit.ts";
import { withoutUndefined } from "../../../platform/values.ts";
import { requireFound } from "../../shared/versioned.ts";
import { isOfTemplate, laterBy, savedLayers } from "../../templates/layers.ts";
import { completeEditorState, defaultFps, type EditorState, type TrackAction } from "../../works/editor-state.ts";
import type { WorkMedia, WorkMediaStore } from "../../works/media.ts";
import { toSceneIndexes } from "../../works/scene-indexes.ts";
import { editorStateWithTrack } from "../../works/scene-track.ts";
import { showing } from "../../works/shown-scenes.ts";
import type { Work } from "../../works/works.ts";
import { filmCanvases, filmLook } from "../look/film-look.ts";
import type { Placed, PlacedEffect } from "../look/scene-layers.ts";
import { fittedClips } from "../voice-length.ts";
import { type BeatGrid, onBeats } from "./beats.ts";
import { isEdited, isLaidOut, wasMadeBefore } from "./edits.ts";
import { isAroundTargets, isDrawn, styleOf } from "./scene-pictures.ts";
import { type BoxesOf, type Clip, type Composing, hasCaptions, sceneTitles, wordSeconds } from "./scene-titles.ts";

type ComposePorts = {
  readonly workMedia: WorkMediaStore;
  readonly textMeasurer: Pick<TextMeasurer, "boxesIn">;
};

/** Lays out a film. Keeps what a person has saved in the editor, and adds scenes that were not made then. */
export async function composeFilm(
  { workMedia, textMeasurer }: ComposePorts,
  composing: Composing,
  { projectId, id }: Work,
  options: TaskOptions,
): Promise<Work> {
  const boxes = new Map<string, Boxes>();
  for (;;) {
    const missing = new Map<string, () => Promise<Boxes>>();
    const boxesOf: BoxesOf = (card, canvas) => {
      const key = `${canvas.width}x${canvas.height}\n${card.html}\n${card.css}`;
      if (!boxes.has(key)) missing.set(key, () => textMeasurer.boxesIn(card, canvas, options));
      return boxes.get(key);
    };
    const changed = await workMedia.changeWork(projectId, id, (work, media) => {
      const laidOut = composed(composing, work, media, { ...draftOf(composing, work, media), boxesOf });
      // measured outside of the transaction, and then laid out again
      if (missing.size > 0) return work;
      const request = composing.requestOf?.({ ...work, editorState: laidOut });
      const filmLook = styleOf(composing.film);
      const decided = request ? { ...withRequest(laidOut, request), filmLook } : laidOut;
      // a person's saved state refers to the scenes at that time
      const editorState = decided.shownScenes ? decided : showing(decided, work.scenes);
      return { ...work, editorState, updatedAt: Date.now() };
    });
    if (missing.size === 0) return requireFound(changed);
    for (const [key, measure] of missing) boxes.set(key, await measure());
  }
}

type Boxes = NonNullable<ReturnType<BoxesOf>>;

/** Lays out the words of a work from its scenes alone, before anything of it is made. */
export function withWords(composing: Composing, work: Work): Work {
  let end = 0;
  const clips = work.scenes.map(({ duration_seconds }, index): Clip => {
    const start = end;
    end += duration_seconds;
    return { id: `clip-${index}`, start, end, workIndex: index, isOpen: true };
  });
  const state = completeEditorState({}, work.resolution);
  return { ...work, editorState: composed(composing, work, [], { state, clips, boxesOf: () => undefined }) };
}

/** The volume of the music is the editor's own. */
function withRequest(state: EditorState, request: ReturnType<NonNullable<Composing["requestOf"]>>): EditorState {
  const { captions, voice, audio, options } = request;
  const { volume: _, ...music } = audio ?? {};
  const { targets, ...settings } = options ?? {};
  return {
    ...{ ...state, ...withoutUndefined({ captions, voice, targets }), ...(audio && { audio: music }) },
    exportSettings: { ...state.exportSettings, ...settings },
  };
}

type Draft = { readonly state: EditorState; readonly clips: readonly Clip[]; readonly grid?: BeatGrid | undefined };

/** The transition after a clip of a film with this look. */
function transitionsOf({ film, looks, project }: Composing, work: Work, clipCount: number) {
  const { look } = filmLook(looks, film.order, project.styleGuide, work);
  const transitionAt = (at: number) => {
    const { name, seconds } = look.transitions[at % look.transitions.length]!; // safe because a look has one
    return { transitionType: name, transitionDuration: seconds };
  };
  const isLast = (at: number) => at === clipCount - 1;
  const transitionAfter = (at: number) => (isLast(at) ? 0 : transitionAt(at).transitionDuration);
  return { look, transitionAt, isLast, transitionAfter };
}

function draftOf(composing: Composing, work: Work, media: readonly WorkMedia[]): Draft {
  const { film, rhythm } = composing;
  const made = editorStateWithTrack({ ...work, editorState: undefined }, media);
  if (!isEdited(film, work)) {
    const fitted = fittedClips(film.order, work, media, clipsOf(work, made, true));
    const grid = rhythm?.gridOf(fitted.at(-1)?.end ?? 0);
    const { transitionAfter } = transitionsOf(composing, work, fitted.length);
    const words = wordSeconds(composing, work, fitted, transitionAfter);
    const snapping = { media, words, movesEnd: rhythm?.movesEnd ?? false };
    const clips = grid && rhythm?.snaps ? onBeats(fitted, grid.beats, snapping) : fitted;
    return { state: withApplied(made, work), clips, grid };
  }
  const state = editorStateWithTrack(work, media);
  const clips = clipsOf(work, state, !isLaidOut(film, work));
  const isNew = ({ workIndex }: Clip) =>
    !clips.some((clip) => clip.workIndex === workIndex) && !wasMadeBefore(film, workIndex, work.editorSavedAt);
  return clipsOf(work, made, true).filter(isNew).reduce(withClip, { state, clips });
}

/** Includes parts that people added without the editor: music, and templates. */
function withApplied(made: EditorState, { editorState }: Work): EditorState {
  if (!editorState) return made;
  const { audioUrl, editorData, ...overlays } = editorState;
  const isApplied = (id: string) => id.startsWith("tmpl_");
  const track = (actions: readonly TrackAction[]) => actions.filter(({ id }) => isApplied(id));
  const layers = savedLayers(overlays).filter(isOfTemplate);
  const applied = (all: EditorState["textOverlays"]) =>
    Object.fromEntries(Object.entries(all).filter(([id]) => isApplied(id)));
  return {
    ...{ ...made, ...(audioUrl !== undefined && { audioUrl }) },
    editorData: {
      ...made.editorData,
      ...{ textTrack: track(editorData.textTrack), imageTrack: track(editorData.imageTrack) },
    },
    textOverlays: applied(overlays.textOverlays),
    imageOverlays: applied(overlays.imageOverlays),
    ...(layers.length > 0 && { layers }),
  };
}

function clipsOf(work: Work, { editorData: { videoTrack } }: EditorState, isOpen: boolean): readonly Clip[] {
  const clips = videoTrack.toSorted((one, other) => one.start - other.start);
  const indexes = toSceneIndexes(
    work,
    clips.map(({ sceneIndex }, at) => sceneIndex ?? at),
  );
  return clips.map((clip, at) => ({ ...clip, workIndex: indexes[at]!, isOpen })); // safe because each clip has one
}

/** Adds a clip after those of earlier scenes; moves later items. */
function withClip({ state, clips }: Draft, { start, end, ...clip }: Clip): Draft {
  const begin = Math.max(0, ...clips.filter(({ workIndex }) => workIndex < clip.workIndex).map((before) => before.end));
  const seconds = end - start;
  const moved = <Action extends TrackAction>(actions: readonly Action[]): readonly Action[] =>
    actions.map((action) =>
      action.start < begin ? action : { ...action, start: action.start + seconds, end: action.end + seconds },
    );
  const { editorData } = state;
  const { textTrack, imageTrack } = editorData;
  const added: Clip = { ...clip, start: begin, end: begin + seconds };
  const layers = laterBy(savedLayers(state), begin, seconds);
  return {
    state: {
      ...state,
      editorData: { ...editorData, textTrack: moved(textTrack), imageTrack: moved(imageTrack) },
      ...(layers.length > 0 && { layers }),
    },
    clips: [...moved(clips), added].toSorted((one, other) => one.start - other.start),
  };
}

function composed(
  { film, ...composing }: Composing,
  work: Work,
  media: readonly WorkMedia[],
  { state, clips, grid, boxesOf }: Draft & { readonly boxesOf: BoxesOf },
): EditorState {
  const { order } = film;
  const { editorData } = state;
  const drawn = clips.map(({ workIndex }) => isDrawn(film, work, workIndex, composing.assets));
  const { look, transitionAt, isLast, transitionAfter } = transitionsOf({ film, ...composing }, work, clips.length);
  const titles = sceneTitles({ film, ...composing }, work, { clips, drawn, grid, transitionAfter }, boxesOf);
  const captioned = hasCaptions(order);
  const fitOf = ({ workIndex }: Clip) => {
    const inSlot = (kind: "image" | "video") => media.find(({ slot }) => slot === `scene/${workIndex}/${kind}`);
    // the camera moves over a still picture
    const shown = inSlot("video") ?? inSlot("image");
    if (isAroundTargets(film, work, workIndex, shown)) return { fit: "cover" } as const;
    if (order.targets.length > 1) return { fit: "blur" } as const;
    return {
      fit: "cover",
      ...(isCropped(shown, filmCanvases(work, order.targets)[0]) && { focus: "auto" }),
    } as const;
  };
  const arrangement = (clip: Clip, at: number) => ({
    ...fitOf(clip),
    ...(grid && slowed(clip, media)),
    ...(captioned && titles[at]?.isCaptioned === false && { caption: false }),
    ...(!isLast(at) && transitionAt(at)),
  });
  const videoTrack = clips.map((laid, at) => {
    const { workIndex: _, isOpen, ...clip } = laid;
    return isOpen ? { ...arrangement(laid, at), ...clip } : clip;
  });
  const isOwn = ({ id }: Placed) => Object.hasOwn(state.textOverlays, id) || Object.hasOwn(state.imageOverlays, id);
  const texts = titles.flatMap((each) => each.texts).filter((each) => !isOwn(each));
  const images = titles.flatMap((each) => each.images).filter((each) => !isOwn(each));
  const kept = savedLayers(state);
  const added = titles.flatMap((each) => each.layers).filter(({ id }) => !kept.some((layer) => layer.id === id));
  const layers = [...added, ...kept];
  const cuts = clips.flatMap(({ start, isOpen }, at): readonly PlacedEffect[] => {
    const names = look.effects.cuts;
    // safe because the remainder is one of the indexes
    return at > 0 && isOpen ? [{ name: names[(at - 1) % names.length]!, at: start, weight: 3 }] : [];
  });
  const sounds = composing.soundsOf?.([...cuts, ...titles.flatMap(({ effects }) => effects)]) ?? [];
  const isSounding = sounds.length > 0 && !Object.hasOwn(state, "sounds");
  const { textTrack, imageTrack } = editorData;
  return {
    ...state,
    editorData: {
      ...{ ...editorData, videoTrack },
      textTrack: [...textTrack, ...texts.map(actionOf)],
      imageTrack: [...imageTrack, ...images.map(actionOf)],
    },
    textOverlays: { ...state.textOverlays, ...overlaysOf(texts) },
    imageOverlays: { ...state.imageOverlays, ...overlaysOf(images) },
    ...(layers.length > 0 && { layers }),
    ...(isSounding && { sounds }),
    ...(grid && { beats: grid }),
  };
}

/** Films are exported at this rate. */
const rate = frameRateOf(defaultFps);

/** A clip that is slower than this looks slow. */
const leastSpeed = 0.75;

/** A scene that a beat has made longer than its clip plays the clip slower, and does not hold its last picture. */
function slowed({ workIndex, start, end }: Clip, media: readonly WorkMedia[]): { readonly speed?: number } {
  const shown = media.find(({ slot }) => slot === `scene/${workIndex}/video`);
  const { durationSeconds = 0 } = shown?.file.facts ?? {};
  // a clip has whole frames
  const seconds = toSeconds(toFrame(end, rate) - toFrame(start, rate), rate);
  const speed = Math.floor((1000 * durationSeconds) / seconds) / 1000;
  return speed < 1 && speed >= leastSpeed ? { speed } : {};
}

/** The tolerance of an aspect ratio after rounding. */
const ratioTolerance = 0.02;

/** True if a clip that covers the canvas loses a part of its picture. */
function isCropped(shown: WorkMedia | undefined, canvas: Canvas | undefined): boolean {
  const { width, height } = shown?.file.facts ?? {};
  if (!canvas || !width || !height) return false;
  return Math.abs((width * canvas.height) / (height * canvas.width) - 1) > ratioTolerance;
}

// fromEntries, because an assignment to the key __proto__ sets the prototype instead
const overlaysOf = (placed: readonly Placed[]) => Object.fromEntries(placed.map(({ id, overlay }) => [id, overlay]));

const actionOf = ({ id, start, end }: Placed): TrackAction => ({ id, start, end });
