import type { MediaSlot } from "../files/internal-urls.ts";
import { completeEditorState, type EditorState, type TrackAction } from "./editor-state.ts";
import type { WorkMedia } from "./media.ts";
import { toSceneNumbers } from "./scene-indexes.ts";
import type { ScenarioScene, Work } from "./works.ts";

/** The editor state of a work. Its video track is empty only if it has none and no scene of the work has media. */
export function editorStateWithTrack(work: Work, media: readonly WorkMedia[]): EditorState {
  const state = work.editorState ?? completeEditorState({}, work.resolution);
  const { editorData } = state;
  if (editorData.videoTrack.length > 0) return state;
  return { ...state, editorData: { ...editorData, videoTrack: numbered(work, sceneTrack(work.scenes, media)) } };
}

/** The track with scene numbers of the client that saved the work. */
function numbered(work: Work, track: readonly SceneAction[]): readonly TrackAction[] {
  const numbers = toSceneNumbers(
    work,
    track.map(({ sceneIndex }) => sceneIndex),
  );
  return track.map((action, at) => ({ ...action, sceneIndex: numbers[at]! }));
}

type SceneAction = TrackAction & { readonly sceneIndex: number };

/** Used if neither the scenario nor the video gives a duration. */
const defaultSceneSeconds = 5;

/**
 * The video track of the scenes that have media: in order, end to end, in seconds. Omits media of scenes that were
 * removed from the scenario; without a scenario, all scenes' media are shown.
 */
export function sceneTrack(scenes: readonly ScenarioScene[], media: readonly WorkMedia[]): readonly SceneAction[] {
  const fileSeconds = new Map(media.map(({ slot, file }) => [slot, file.facts.durationSeconds]));
  let start = 0;
  const sceneCount = scenes.length || Number.POSITIVE_INFINITY;
  const indexes = indexesWithMedia(media).filter((index) => index < sceneCount);
  return indexes.map((sceneIndex) => {
    const videoSeconds = fileSeconds.get(`scene/${sceneIndex}/video`);
    const end = start + (scenes[sceneIndex]?.duration_seconds || videoSeconds || defaultSceneSeconds);
    const action = { id: `clip-${sceneIndex}`, start, end, sceneIndex };
    start = end;
    return action;
  });
}

function indexesWithMedia(media: readonly WorkMedia[]): readonly number[] {
  const indexes = media.flatMap(({ slot }) => indexOf(slot) ?? []);
  return [...new Set(indexes)].sort((one, other) => one - other);
}

const indexOf = (slot: MediaSlot): number | undefined => {
  const [, index] = /^scene\/(\d+)\/(?:image|video)$/.exec(slot) ?? [];
  return index === undefined ? undefined : Number(index);
};
