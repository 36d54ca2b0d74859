import type { Voice } from "../../timeline/sound.ts";
import { type FrameRate, framesIn, samplesPerSecond, toSeconds } from "../../timeline/time.ts";
import { fadeSound, limit, padOrTrimTo, toFactor, volume } from "../filters/sound.ts";
import type { Audio } from "../graph/graph.ts";
import { printNumber } from "../graph/print.ts";
import { openSound, type SourcePaths } from "../sources.ts";
import { soundOf } from "./channels.ts";
import { samplesIn } from "./pieces.ts";

/** In dBFS: the mix is raised by about two decibels when it is mastered. */
export const ceiling = -3;

// recordings often begin and end inside of a noise
export const edgeSamples = samplesPerSecond / 100;

/** For a voice whose rest is left out. */
const cutFadeSamples = samplesPerSecond / 10;

/** Builds a voice from its input. A recording that ends before its range is followed by silence. */
export function buildVoice(voice: Voice, inputIndex: number, rate: FrameRate, gain: number): Audio {
  const samples = samplesIn(voice.range, rate);
  const { durationSeconds = Number.POSITIVE_INFINITY } = voice.source.facts;
  const recorded = Math.round(durationSeconds * samplesPerSecond);
  const end = Math.min(samples, recorded);
  const source = soundOf(voice.source, inputIndex);
  const leveled = voice.isNormalized ? limit(volume(source, gain), samples, toFactor(ceiling)) : source;
  const fadedIn = fadeSound(padOrTrimTo(leveled, samples), "in", { start: 0, end: Math.min(end, edgeSamples) });
  const fadeOutSamples = recorded > samples ? cutFadeSamples : edgeSamples;
  const faded = fadeSound(fadedIn, "out", { start: Math.max(0, end - fadeOutSamples), end });
  return volume(faded, voice.volume);
}

// covers the look-ahead of decoders and of the limiter
const marginSeconds = 0.25;

export const voiceArgs = ({ source, range }: Voice, files: SourcePaths, rate: FrameRate): readonly string[] =>
  openSound(source, files, ["-t", printNumber(toSeconds(framesIn(range), rate) + marginSeconds)]);
