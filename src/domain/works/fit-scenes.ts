import { toHundredths } from "../../platform/values.ts";
import type { EditorState, TrackAction } from "./editor-state.ts";
import { toSceneIndexes } from "./scene-indexes.ts";
import { showing, withLengths } from "./shown-scenes.ts";
import type { ScenarioScene, Work } from "./works.ts";

/** The pause after a voice, before the next scene. */
const pauseSeconds = 0.4;

/** The length of the voice and a short pause. */
export const sceneSecondsFor = (voiceSeconds: number): number =>
  Math.ceil((voiceSeconds + pauseSeconds) * 100 - 1e-6) / 100;

/**
 * Makes scenes as long as their voices, in seconds by scene; with `onlyLonger` none gets shorter. The editor's clips
 * follow if they show all scenes unchanged, and its texts and images move with them.
 */
export function fitScenes(work: Work, voiceSeconds: ReadonlyMap<number, number>, { onlyLonger = false } = {}): Work {
  const scenes = work.scenes.map((scene, index) => {
    const seconds = voiceSeconds.get(index);
    if (seconds === undefined) return scene;
    const fitting = sceneSecondsFor(seconds);
    return { ...scene, duration_seconds: onlyLonger ? Math.max(scene.duration_seconds, fitting) : fitting };
  });
  const { editorState } = work;
  return {
    ...work,
    scenes,
    ...(editorState && { editorState: showing(followScenes(editorState, work, scenes), scenes) }),
  };
}

/** The work's editor with the scenes' new lengths, if its clips show the scenes as before; otherwise unchanged. */
export function followedScenes(work: Work, scenes: Scenes): EditorState | undefined {
  const { editorState } = work;
  const isOther = (scene: ScenarioScene, at: number) => scene.duration_seconds !== work.scenes[at]?.duration_seconds;
  if (!editorState || scenes.length !== work.scenes.length || !scenes.some(isOther)) return editorState;
  const followed = followScenes(editorState, work, scenes);
  return followed === editorState ? editorState : withLengths(followed, scenes);
}

/** True if the scenes are at least as long as their voices. */
export const isFitted = ({ scenes }: Work, voiceSeconds: ReadonlyMap<number, number>): boolean =>
  scenes.every(({ duration_seconds }, index) => {
    const seconds = voiceSeconds.get(index);
    return seconds === undefined || duration_seconds >= sceneSecondsFor(seconds);
  });

/** True if the scene has exactly the length that its voice needs. */
export const lastsAsVoice = ({ duration_seconds }: ScenarioScene, voiceSeconds: number): boolean =>
  Math.abs(duration_seconds - sceneSecondsFor(voiceSeconds)) <= tolerance;

/** The index of a missing scene. */
const missing = -1;

type Scenes = readonly ScenarioScene[];

function followScenes(state: EditorState, before: Work, after: Scenes): EditorState {
  const { editorData } = state;
  const clips = editorData.videoTrack.toSorted((one, other) => one.start - other.start);
  const indexes = toSceneIndexes(
    before,
    clips.map(({ sceneIndex = missing }) => sceneIndex),
  );
  if (!showsScenes(clips, indexes, before.scenes)) return state;
  const videoTrack = layEndToEnd(clips, indexes, after);
  const moved = (actions: readonly TrackAction[]) => actions.map((action) => moveWith(action, clips, videoTrack));
  const { textTrack, imageTrack } = editorData;
  return {
    ...state,
    editorData: { ...editorData, videoTrack, textTrack: moved(textTrack), imageTrack: moved(imageTrack) },
  };
}

/** Editors round times. */
const tolerance = 0.02;

/** True if the clips show whole scenes from their beginnings, end to end. */
function showsScenes(clips: readonly TrackAction[], indexes: readonly number[], scenes: Scenes): boolean {
  return clips.every(({ start, end, trimStart = 0, trimEnd = 0 }, at) => {
    const scene = scenes[indexes[at]!];
    const previousEnd = clips[at - 1]?.end ?? 0;
    const isWhole = scene !== undefined && Math.abs(end - start - scene.duration_seconds) <= tolerance;
    return isWhole && trimStart === 0 && trimEnd === 0 && Math.abs(start - previousEnd) <= tolerance;
  });
}

function layEndToEnd(
  clips: readonly TrackAction[],
  indexes: readonly number[],
  scenes: Scenes,
): readonly TrackAction[] {
  let start = 0;
  return clips.map((clip, at) => {
    const end = toHundredths(start + scenes[indexes[at]!]!.duration_seconds); // safe because the clips show scenes
    const moved = { ...clip, start, end };
    start = end;
    return moved;
  });
}

function moveWith(action: TrackAction, before: readonly TrackAction[], after: readonly TrackAction[]): TrackAction {
  const move = (time: number): number => {
    const at = before.findLastIndex(({ start }) => start <= time);
    const from = before[Math.max(at, 0)];
    const to = after[Math.max(at, 0)];
    if (!from || !to) return time;
    const factor = (to.end - to.start) / (from.end - from.start || 1);
    return toHundredths(time > from.end ? to.end + time - from.end : to.start + (time - from.start) * factor);
  };
  return { ...action, start: move(action.start), end: move(action.end) };
}
