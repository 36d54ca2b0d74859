import { playedUntil } from "../../motion/clip-time.ts";
import type { Keyframe } from "../../timeline/motion.ts";
import type { SoundPace, SoundPiece } from "../../timeline/sound.ts";
import { type FrameRate, framesIn, samplesPerSecond, toSeconds } from "../../timeline/time.ts";
import {
  changeTempo,
  delay,
  fadeSound,
  joinSounds,
  mix,
  padOrTrimTo,
  reverseSound,
  silence,
  trimSamples,
} from "../filters/sound.ts";
import type { Audio } from "../graph/graph.ts";
import type { Seconds } from "./profile.ts";

export type PacedPiece = SoundPiece & { readonly pace: SoundPace };

export const hasPace = (piece: SoundPiece): piece is PacedPiece => piece.pace !== undefined;

/** The sound that is decoded before and after what is heard: a change of tempo needs it. */
const marginSamples = samplesPerSecond / 2;
const marginSeconds = marginSamples / samplesPerSecond;

/** The part of the source that a piece plays. Before its start a source is silent. */
function playedPart({ sourceStartSeconds: start, pace, range }: PacedPiece, rate: FrameRate): Seconds {
  const { speed, reverses, startSeconds, clipSeconds } = pace;
  const from = playedUntil(speed, startSeconds);
  const to = playedUntil(speed, startSeconds + toSeconds(framesIn(range), rate));
  const whole = start + playedUntil(speed, clipSeconds);
  return reverses ? { start: whole - to, end: whole - from } : { start: start + from, end: start + to };
}

/** The part of the source to decode. */
export function decodedPart(piece: PacedPiece, rate: FrameRate): Seconds {
  const { start, end } = playedPart(piece, rate);
  return { start: Math.max(0, start - marginSeconds), end: Math.max(0, end + marginSeconds) };
}

type PaceOptions = {
  readonly rate: FrameRate;
  /** Of the piece. */
  readonly samples: number;
  /** The second of the source at which `source` begins. */
  readonly seekSeconds: number;
};

/** The sound of a piece as its clip plays it. Where the clip stands still it is silent. */
export function paceSound(source: Audio, piece: PacedPiece, { rate, samples, seekSeconds }: PaceOptions): Audio {
  const { speed, reverses, startSeconds } = piece.pace;
  const played = playedPart(piece, rate);
  const first = Math.round((played.start - seekSeconds) * samplesPerSecond) - marginSamples;
  const length = Math.round((played.end - played.start) * samplesPerSecond) + 2 * marginSamples;
  const cut = trimSamples(source, { start: Math.max(0, first), end: Math.max(1, first + length) });
  const whole = padOrTrimTo(delay(cut, Math.max(0, -first)), length);
  const material = reverses ? reverseSound(whole) : whole;
  const parts = partsOf(speed, { start: startSeconds, end: startSeconds + samples / samplesPerSecond });
  const placed = parts.map(({ start, end }, index): Part => {
    const heard = playedUntil(speed, end) - playedUntil(speed, start);
    return {
      start: Math.round((start - startSeconds) * samplesPerSecond),
      end: index === parts.length - 1 ? samples : Math.round((end - startSeconds) * samplesPerSecond),
      played: Math.round((playedUntil(speed, start) - playedUntil(speed, startSeconds)) * samplesPerSecond),
      tempo: heard / (end - start),
    };
  });
  return joinParts(material, placed);
}

/** A part of constant speed, in samples of the piece and of what is played. */
type Part = { readonly start: number; readonly end: number; readonly played: number; readonly tempo: number };

/** Parts fade into each other for ten milliseconds. */
const fadeSamples = samplesPerSecond / 100;

/** Every other part is in the same stream, because neighbors overlap. */
function joinParts(material: Audio, parts: readonly Part[]): Audio {
  const [only, ...more] = parts;
  if (only && more.length === 0) return playPart(material, only, 0, 0);
  const lanes = [0, 1].map((lane) => {
    const sounds: Audio[] = [];
    let at = 0;
    for (const [index, part] of parts.entries()) {
      if (index % 2 !== lane) continue;
      const before = index === 0 ? 0 : fadeSamples;
      const after = index === parts.length - 1 ? 0 : fadeSamples;
      const start = part.start - before / 2;
      if (start > at) sounds.push(silence(start - at));
      sounds.push(playPart(material, part, before, after));
      at = part.end + after / 2;
    }
    return padOrTrimTo(joinSounds(sounds), parts.at(-1)!.end);
  });
  return mix(lanes);
}

/** Slower sound than a twentieth of its speed is silent. */
const slowest = 0.05;

/** A part with half of the fades to its neighbors on both sides. */
function playPart(material: Audio, { start, end, played, tempo }: Part, before: number, after: number): Audio {
  const samples = end - start + (before + after) / 2;
  if (tempo < slowest) return silence(samples);
  const first = Math.round(played - (tempo * before) / 2);
  const sound = playFrom(material, Math.max(0, first), { samples, tempo });
  const faded = fadeSound(sound, "in", { start: 0, end: before }, "tri");
  return fadeSound(faded, "out", { start: samples - after, end: samples }, "tri");
}

function playFrom(material: Audio, first: number, { samples, tempo }: { samples: number; tempo: number }): Audio {
  const isUnchanged = Math.abs(tempo - 1) < 1e-6;
  if (isUnchanged) {
    const start = marginSamples + first;
    return padOrTrimTo(trimSamples(material, { start, end: start + samples }), samples);
  }
  const end = first + Math.ceil(samples * tempo) + 2 * marginSamples;
  const changed = changeTempo(trimSamples(material, { start: first, end }), tempo);
  const start = Math.round(marginSamples / tempo);
  return padOrTrimTo(trimSamples(changed, { start, end: start + samples }), samples);
}

/** A changing speed is constant for a tenth of a second, or for longer if there would be too many parts. */
const stepSeconds = 0.1;
const shortestSeconds = 0.04;
const maxParts = 150;

/** Cuts a part of a clip where its speed changes. */
function partsOf(speed: SoundPace["speed"], { start, end }: Seconds, coarseness = 1): readonly Seconds[] {
  if (typeof speed !== "object") return [{ start, end }];
  const [step, shortest] = [stepSeconds * coarseness, shortestSeconds * coarseness];
  const cuts = speed
    .flatMap((to, index) => (index === 0 ? [to.at] : cutsBetween(speed[index - 1]!, to, step)))
    .filter((cut) => cut > start && cut < end);
  const times = [start];
  for (const cut of cuts) if (cut - times.at(-1)! >= shortest && end - cut >= shortest) times.push(cut);
  if (times.length > maxParts) return partsOf(speed, { start, end }, 2 * coarseness);
  return times.map((time, index) => ({ start: time, end: times[index + 1] ?? end }));
}

/** The times after a keyframe, until the next one, at which the speed changes. */
function cutsBetween(from: Keyframe<number>, to: Keyframe<number>, step: number): readonly number[] {
  if (to.easing === "step" || from.value === to.value) return [to.at];
  const count = Math.max(1, Math.ceil((to.at - from.at) / step - 1e-6));
  return Array.from({ length: count }, (_, index) => from.at + ((index + 1) * (to.at - from.at)) / count);
}
