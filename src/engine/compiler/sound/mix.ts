import type { Music, Sound, Voice } from "../../timeline/sound.ts";
import { type FrameRate, samplesPerSecond, toSamples } from "../../timeline/time.ts";
import type { Timeline } from "../../timeline/timeline.ts";
import { delay, duck, fadeSound, limit, mix, padOrTrimTo, padTo, silence, volume } from "../filters/sound.ts";
import { type Audio, input } from "../graph/graph.ts";
import { printNumber } from "../graph/print.ts";
import { openFile, openSound, type SourcePaths } from "../sources.ts";
import { soundOf } from "./channels.ts";
import { applyEnvelope } from "./ducking.ts";
import type { SoundGroup } from "./pieces.ts";

/** The groups of a mix. Its inputs are these in this order, then the music, then the envelope of the music. */
type MixInputs = { readonly clips: readonly SoundGroup[]; readonly voices: readonly SoundGroup<Voice>[] };

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
  const placed = [...groups.clips, ...groups.voices].map(({ range }, index) =>
    padOrTrimTo(delay(input("audio", index), toSamples(range.start, rate)), samples),
  );
  if (!sound.music) return placed;
  const music = fadeMusic(sound.music, placed.length, track.frames, rate);
  const lowered = hasEnvelope(sound) ? applyEnvelope(music, input("audio", placed.length + 1), samples) : music;
  const clips = placed.slice(0, groups.clips.length);
  const voices = placed.slice(groups.clips.length);
  if (!sound.music.isDucked || clips.length === 0) return [...placed, lowered];
  const clipMix = mix(clips);
  return [clipMix, ...voices, padOrTrimTo(duck(lowered, clipMix), samples)];
}

/** True if the music is lowered while voices sound. */
export const hasEnvelope = ({ music, voices = [] }: Sound): boolean =>
  music?.isDuckedByVoices === true && voices.length > 0;

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
