import type { SpokenWord } from "../../../engine/timeline/captions/words.ts";
import type { Sound, Voice } from "../../../engine/timeline/sound.ts";
import type { Source } from "../../../engine/timeline/source.ts";
import { type FrameRate, toFrame, toSeconds } from "../../../engine/timeline/time.ts";
import type { Timeline } from "../../../engine/timeline/timeline.ts";
import { type Clip, clipsOf, type Track } from "../../../engine/timeline/track.ts";
import { type PlacedRecording, placeRecordings } from "../../../engine/timeline/voices.ts";
import { sourceOf } from "../../files/file-store.ts";
import type { Speech } from "../../speech/speech.ts";
import type { WorkMedia } from "../../works/media.ts";
import type { CompleteRequest } from "./fill-from-editor.ts";
import type { VoiceRequest } from "./schema.ts";

/** A recorded voice. Its words are known only if it was generated. */
export type Recording = { readonly source: Source; readonly speech?: Speech | undefined };

export type Recordings = { readonly work?: Recording | undefined; readonly scenes: ReadonlyMap<number, Recording> };

export type PlacedVoice = PlacedRecording<
  Recording & {
    /** The field of the request that names it. */
    readonly path: string;
    readonly start: number;
  }
>;

export type VoiceLayout = {
  readonly voices: readonly PlacedVoice[];
  /** The fields of the request that name a missing recording. */
  readonly missing: readonly string[];
};

const sceneSlot = /^scene\/(\d+)\/voice$/;

export function recordingsOf(media: readonly WorkMedia[]): Recordings {
  const recorded = media.map(({ slot, file, speech }) => ({ slot, source: sourceOf(file), speech }));
  const scenes = recorded.flatMap(({ slot, ...recording }) => {
    const [, scene] = slot.match(sceneSlot) ?? [];
    return scene === undefined ? [] : [[Number(scene), recording] as const];
  });
  return { work: recorded.find(({ slot }) => slot === "voice"), scenes: new Map(scenes) };
}

type ShownClips = { readonly clips: readonly Clip[]; readonly track: Track; readonly rate: FrameRate };

/** The voices of a request, except one that it names by URL. */
export function layOutVoices(request: CompleteRequest, recordings: Recordings, film: ShownClips): VoiceLayout {
  const { voice } = request;
  if (!voice || voice.audioUrl) return { voices: [], missing: [] };
  const shown = scenesOf(request, film);
  const hasScenes = shown.some(({ sceneIndex }) => recordings.scenes.has(sceneIndex));
  if (voice.from === "work" || (!voice.from && !hasScenes && recordings.work)) {
    return recordings.work
      ? layOutWithFullVoice(voice, recordings.work, film)
      : { voices: [], missing: ["voice.from"] };
  }
  if (!hasScenes) return { voices: [], missing: ["voice"] };
  return layOutScenes(voice, shown, recordings, film);
}

/** Where the work's own voice ends, if a request without scenes plays it. */
export function voiceEnds({ voice, clips }: CompleteRequest, { work }: Recordings): readonly number[] {
  const seconds = work?.source.facts.durationSeconds;
  if (!voice || voice.audioUrl || voice.from === "scenes" || clips.length > 0 || seconds === undefined) return [];
  return [(voice.position ?? 0) + (voice.delay ?? 0) + seconds];
}

/** A voice for the whole video: the work's, or one that the request names by URL. */
export const layOutWithFullVoice = (
  voice: VoiceRequest,
  recording: Recording,
  { track, rate }: Omit<ShownClips, "clips">,
) => {
  const { position = 0, delay = 0 } = voice;
  const start = toFrame(position + delay, rate);
  return {
    voices: placeRecordings([{ ...recording, start, path: "voice" }], { frames: track.frames, rate }),
    missing: [],
  };
};

type ShownScene = { readonly sceneIndex: number; readonly start: number; readonly path: string };

/** Each scene once, at its first visible clip with its voice. */
function scenesOf({ clips: requests }: CompleteRequest, { clips, track }: ShownClips): readonly ShownScene[] {
  const shown = clips.flatMap((clip, index): ShownScene[] => {
    const { sceneIndex, voice } = requests[index]!;
    const start = track.spans.find((span) => clipsOf(span).includes(clip))?.range.start;
    return voice === false || start === undefined ? [] : [{ sceneIndex, start, path: `clips.${index}` }];
  });
  const inOrder = shown.toSorted((a, b) => a.start - b.start);
  return inOrder.filter(
    ({ sceneIndex }, index) => inOrder.findIndex((other) => other.sceneIndex === sceneIndex) === index,
  );
}

function layOutScenes(
  { delay = 0 }: VoiceRequest,
  shown: readonly ShownScene[],
  { scenes }: Recordings,
  { track, rate }: ShownClips,
): VoiceLayout {
  const starts = shown.flatMap(({ sceneIndex, start, path }) => {
    const recording = scenes.get(sceneIndex);
    return recording ? [{ ...recording, start: start + toFrame(delay, rate), path }] : [];
  });
  const missing = shown.filter(({ sceneIndex }) => !scenes.has(sceneIndex)).map(({ path }) => `${path}.sceneIndex`);
  return { voices: placeRecordings(starts, { frames: track.frames, rate }), missing };
}

/** The audible words, in seconds on the video's timeline. */
export const voiceWords = (voices: readonly PlacedVoice[], rate: FrameRate): readonly SpokenWord[] =>
  voices.flatMap(({ speech, range }) => {
    const offset = toSeconds(range.start, rate);
    const limit = toSeconds(range.end, rate);
    return (speech?.words ?? [])
      .map((word) => ({ ...word, start: word.start + offset, end: Math.min(limit, word.end + offset) }))
      .filter(({ start }) => start < limit);
  });

/** Voices lower the music and are mastered with it. */
export function withVoices(
  timeline: Timeline,
  { voice, audio }: CompleteRequest,
  voices: readonly PlacedVoice[],
): Timeline {
  if (!voice || voices.length === 0) return timeline;
  const { volume = 1, normalize = true, duck = true } = voice;
  const { music } = timeline.sound;
  const sound: Sound = {
    ...timeline.sound,
    voices: voices.map(({ source, range }): Voice => ({ source, range, volume, isNormalized: normalize })),
    ...(music && { music: { ...music, isDuckedByVoices: duck } }),
    isNormalized: audio?.normalize ?? true,
  };
  return { ...timeline, sound };
}
