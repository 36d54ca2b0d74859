import type { Music } from "../../timeline/sound.ts";
import { type FrameRate, samplesPerSecond, toSamples } from "../../timeline/time.ts";
import type { Timeline } from "../../timeline/timeline.ts";
import {
  delay,
  duck,
  fadeSound,
  limit,
  mix,
  padOrTrimTo,
  padTo,
  resample,
  silence,
  toStereo,
  volume,
} from "../filters/sound.ts";
import { type Audio, input } from "../graph/graph.ts";
import { printNumber } from "../graph/print.ts";
import { openFile, openSound, type SourcePaths } from "../sources.ts";
import type { SoundGroup } from "./pieces.ts";

/** Mixes all groups, each at its time, and the music, which is the last input. The mix is as long as the track. */
export function buildMix(timeline: Timeline, groups: readonly SoundGroup[]): Audio {
  const samples = toSamples(timeline.track.frames, timeline.rate);
  const sounds = soundsOf(timeline, groups);
  if (sounds.length === 0) return silence(samples);
  // a normalized mix is limited by mastering, after its gain
  return timeline.sound.isNormalized ? mix(sounds) : limit(mix(sounds), samples);
}

function soundsOf({ track, rate, sound }: Timeline, groups: readonly SoundGroup[]): readonly Audio[] {
  const samples = toSamples(track.frames, rate);
  const placed = groups.map(({ range }, index) =>
    padOrTrimTo(delay(input("audio", index), toSamples(range.start, rate)), samples),
  );
  if (!sound.music) return placed;
  const music = fadeMusic(sound.music, groups.length, track.frames, rate);
  if (!sound.music.isDucked || placed.length === 0) return [...placed, music];
  const clips = mix(placed);
  return [clips, padOrTrimTo(duck(music, clips), samples)];
}

function fadeMusic(music: Music, inputIndex: number, frames: number, rate: FrameRate): Audio {
  const samples = toSamples(frames, rate);
  const sourceSamples = Math.round((music.source.facts.durationSeconds ?? Number.POSITIVE_INFINITY) * samplesPerSecond);
  const end = music.loop ? samples : Math.min(sourceSamples, samples);
  const fadedIn = fadeSound(padOrTrimTo(input("audio", inputIndex), samples), "in", {
    start: 0,
    end: Math.min(end, toSamples(music.fadeInFrames, rate)),
  });
  const fadeOut = { start: Math.max(0, end - toSamples(music.fadeOutFrames, rate)), end };
  return volume(fadeSound(fadedIn, "out", fadeOut), music.volume);
}

/** Builds the music from input 0. Pads it, because ffmpeg would loop an empty file forever. */
export const buildMusic = (): Audio => padTo(toStereo(resample(input("audio", 0))), samplesPerSecond / 10);

export const musicArgs = ({ source }: Music, files: SourcePaths, seconds: number): readonly string[] =>
  openSound(source, files, ["-t", printNumber(seconds)]);

/** Opens a rendered WAV file. Music loops as WAV, because only PCM samples repeat without a gap. */
export const wavArgs = (path: string, options: { readonly loop?: boolean } = {}): readonly string[] =>
  openFile(path, "wav", options.loop ? ["-stream_loop", "-1"] : []);
