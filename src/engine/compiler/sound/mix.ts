import type { AddedSound, Music, Sound, Voice } from "../../timeline/sound.ts";
import { type FrameRange, type FrameRate, sampleClock, samplesPerSecond, toSamples } from "../../timeline/time.ts";
import type { Timeline } from "../../timeline/timeline.ts";
import { delay, duck, fadeSound, limit, mix, padOrTrimTo, padTo, silence, volume } from "../filters/sound.ts";
import { type Audio, input } from "../graph/graph.ts";
import { printNumber } from "../graph/print.ts";
import { openFile, openSound, type SourcePaths } from "../sources.ts";
import { soundOf } from "./channels.ts";
import { applyEnvelope } from "./ducking.ts";
import type { SoundGroup } from "./pieces.ts";

/** The groups of a mix. Its inputs are the clips, the voices, the music, the envelope of all music, the added sounds. */
type MixInputs = {
  readonly clips: readonly SoundGroup[];
  readonly voices: readonly SoundGroup<Voice>[];
  /** Groups of one role each, and effects that voices lower apart. */
  readonly added: readonly SoundGroup<AddedSound>[];
};

/** Mixes all groups, each at its time, and the music. The mix is as long as the track. */
export function buildMix(timeline: Timeline, groups: MixInputs): Audio {
  const samples = toSamples(timeline.track.frames, timeline.rate);
  const sounds = soundsOf(timeline, groups);
  if (sounds.length === 0) return silence(samples);
  // a normalized mix is limited by mastering, after its gain
  return timeline.sound.isNormalized ? mix(sounds) : limit(mix(sounds), samples);
}

function soundsOf({ track, rate, sound }: Timeline, groups: MixInputs): readonly Audio[] {
  const samples = toSamples(track.frames, rate);
  let inputs = 0;
  const place = ({ range }: { readonly range: FrameRange }, clock: FrameRate) =>
    padOrTrimTo(delay(input("audio", inputs++), toSamples(range.start, clock)), samples);
  const trackClips = groups.clips.map((group) => place(group, rate));
  const voices = groups.voices.map((group) => place(group, rate));
  const filmMusic = sound.music && fadeMusic(sound.music, inputs++, track.frames, rate);
  const envelope = hasEnvelope(sound) ? input("audio", inputs++) : undefined;
  const added = groups.added.map((group) => {
    const [first] = group.pieces;
    // safe because a group has a piece
    return { role: first!.role, isLowered: isLoweredEffect(first!), audio: place(group, sampleClock) };
  });
  const addedOf = (...roles: readonly AddedSound["role"][]) =>
    added.filter(({ role, isLowered }) => roles.includes(role) && !isLowered).map(({ audio }) => audio);
  const clips = [...trackClips, ...addedOf("clip")];
  const music = [...(filmMusic ? [filmMusic] : []), ...addedOf("music")];
  const quieted = added.filter(({ isLowered }) => isLowered).map(({ audio }) => audio);
  const lowerable = envelope && quieted.length > 0 ? [applyEnvelope(mix(quieted), envelope, samples)] : quieted;
  const others = [...voices, ...addedOf("effect", "voice"), ...lowerable];
  if (music.length === 0) return [...clips, ...others];
  const lowered = envelope ? applyEnvelope(mix(music), envelope, samples) : mix(music);
  if (!musicOf(sound).some(({ isDucked }) => isDucked) || clips.length === 0) return [...clips, ...others, lowered];
  const clipMix = mix(clips);
  return [clipMix, ...others, padOrTrimTo(duck(lowered, clipMix), samples)];
}

/** The music of the film and the added music. */
const musicOf = ({ music, added = [] }: Sound) => [
  ...(music ? [music] : []),
  ...added.flatMap((one) => (one.role === "music" ? [one] : [])),
];

export const isLoweredEffect = (sound: AddedSound): boolean =>
  sound.role === "effect" && sound.isDuckedByVoices === true;

/** True if music or effects are lowered while voices sound. */
export const hasEnvelope = (sound: Sound): boolean => {
  const { voices = [], added = [] } = sound;
  const hasVoices = voices.length > 0 || added.some(({ role }) => role === "voice");
  const isLowered = musicOf(sound).some(({ isDuckedByVoices }) => isDuckedByVoices === true);
  return hasVoices && (isLowered || added.some(isLoweredEffect));
};

// music that begins or ends at full level clicks
const edgeSamples = samplesPerSecond / 200;

function fadeMusic(music: Music, inputIndex: number, frames: number, rate: FrameRate): Audio {
  const samples = toSamples(frames, rate);
  const sourceSamples = Math.round((music.source.facts.durationSeconds ?? Number.POSITIVE_INFINITY) * samplesPerSecond);
  const end = music.loop ? samples : Math.min(sourceSamples, samples);
  const fadeInSamples = Math.max(edgeSamples, toSamples(music.fadeInFrames, rate));
  const fadeOutSamples = Math.max(edgeSamples, toSamples(music.fadeOutFrames, rate));
  const fadedIn = fadeSound(padOrTrimTo(input("audio", inputIndex), samples), "in", {
    start: 0,
    end: Math.min(end, fadeInSamples),
  });
  const fadeOut = { start: Math.max(0, end - fadeOutSamples), end };
  return volume(fadeSound(fadedIn, "out", fadeOut), music.volume);
}

/** Builds the music from input 0. Pads it, because ffmpeg would loop an empty file forever. */
export const buildMusic = ({ source }: Music): Audio => padTo(soundOf(source, 0), samplesPerSecond / 10);

export const musicArgs = ({ source }: Music, files: SourcePaths, seconds: number): readonly string[] =>
  openSound(source, files, ["-t", printNumber(seconds)]);

/** Opens a rendered WAV file. Music loops as WAV, because only PCM samples repeat without a gap. */
export const wavArgs = (path: string, options: { readonly loop?: boolean } = {}): readonly string[] =>
  openFile(path, "wav", options.loop ? ["-stream_loop", "-1"] : []);
