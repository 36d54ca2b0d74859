import type { AddedSound } from "../../timeline/sound.ts";
import { framesIn, samplesPerSecond } from "../../timeline/time.ts";
import {
  changeTempo,
  fadeSound,
  limit,
  padOrTrimTo,
  padTo,
  reverseSound,
  toFactor,
  trimSamples,
  volume,
  volumeCurve,
} from "../filters/sound.ts";
import { type Audio, input } from "../graph/graph.ts";
import { printNumber } from "../graph/print.ts";
import { openSound, type SourcePaths } from "../sources.ts";
import { isMixedDown, soundOf } from "./channels.ts";
import { gainLines } from "./gains.ts";
import { prerollSeconds, seekSound } from "./pieces.ts";
import { ceiling as voiceCeiling, edgeSamples as voiceEdgeSamples } from "./voices.ts";

/** Three milliseconds, where a sound begins or ends inside of its source. */
const cutEdgeSamples = (3 * samplesPerSecond) / 1000;

/** Builds an added sound from its source, or from its round if it repeats. `gain` normalizes a voice. */
export function buildAdded(sound: AddedSound, inputIndex: number, gain: number): Audio {
  const samples = framesIn(sound.range);
  const played = sound.isRepeated
    ? input("audio", inputIndex)
    : playFromStart(sound, inputIndex, Math.ceil(samples * sound.speed));
  const forward = padOrTrimTo(played, samples);
  const cut = sound.isReversed ? reverseSound(forward) : forward;
  const faded = fade(bounded(sound, cut, gain), sound, samples);
  const loud = volume(faded, sound.volume);
  return sound.gains
    ? volumeCurve(loud, gainLines({ keyframes: sound.gains, startSeconds: 0 }, samples / samplesPerSecond))
    : loud;
}

/** The source from its start on, at its speed. */
function playFromStart(sound: AddedSound, inputIndex: number, sourceSamples?: number): Audio {
  const first = Math.round(seekSound(sound).offsetSeconds * samplesPerSecond);
  const length = sourceSamples === undefined ? {} : { end: first + sourceSamples + tailSamples };
  return changeTempo(trimSamples(soundOf(sound.source, inputIndex), { start: first, ...length }), sound.speed);
}

/** Covers the windows of atempo. */
const tailSamples = samplesPerSecond / 4;

function bounded(sound: AddedSound, audio: Audio, gain: number): Audio {
  const samples = framesIn(sound.range);
  if (sound.role === "voice" && sound.isNormalized) return limit(volume(audio, gain), samples, toFactor(voiceCeiling));
  return isMixedDown(sound.source) ? limit(audio, samples) : audio;
}

function fade(audio: Audio, sound: AddedSound, samples: number): Audio {
  const edges = edgesOf(sound, samples);
  const fadedIn = fadeSound(audio, "in", {
    start: 0,
    end: Math.min(samples, Math.max(edges.start, sound.fadeInSamples)),
  });
  const fadeOutSamples = Math.max(edges.end, sound.fadeOutSamples);
  return fadeSound(fadedIn, "out", { start: Math.max(0, samples - fadeOutSamples), end: samples });
}

/** Recordings of voices often begin and end inside of a noise; other sounds keep their own beginnings and ends. */
function edgesOf(sound: AddedSound, samples: number) {
  if (sound.role === "voice") return { start: voiceEdgeSamples, end: voiceEdgeSamples };
  if (sound.isReversed) return { start: cutEdgeSamples, end: cutEdgeSamples };
  const { durationSeconds = Number.POSITIVE_INFINITY } = sound.source.facts;
  const rest = ((durationSeconds - sound.sourceStartSeconds) / sound.speed) * samplesPerSecond - samples;
  return {
    start: sound.sourceStartSeconds > 0 ? cutEdgeSamples : 0,
    // a sample less or more is rounding
    end: sound.isRepeated || rest > 1 ? cutEdgeSamples : 0,
  };
}

export function addedArgs(sound: AddedSound, files: SourcePaths): readonly string[] {
  const { seekSeconds, offsetSeconds } = seekSound(sound);
  const seek = seekSeconds > 0 ? ["-ss", `${seekSeconds}`] : [];
  if (sound.isRepeated) return openSound(sound.source, files, seek);
  const sourceSeconds = (framesIn(sound.range) / samplesPerSecond) * sound.speed;
  const duration = offsetSeconds + sourceSeconds + prerollSeconds;
  return openSound(sound.source, files, [...seek, "-t", printNumber(duration)]);
}

/** One round of a repeating sound, from input 0. At least a tenth of a second: ffmpeg reopens the file for each. */
export const buildRound = (sound: AddedSound): Audio => padTo(playFromStart(sound, 0), samplesPerSecond / 10);
