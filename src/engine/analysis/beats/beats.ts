import { toHundredths, toTenThousandths } from "../../../platform/values.ts";
import type { Beats } from "../../ports.ts";
import { envelopeRate, findOnsets, type Onsets, smoothed } from "./onsets.ts";
import { findTempo } from "./tempo.ts";

/** How much an uneven beat costs beside a weak onset. */
const tightness = 100;

/** Finds the beats of a sound at `beatSampleRate`, by Ellis, Beat Tracking by Dynamic Programming (2007). */
export function findBeats(samples: Int16Array, given?: number): Beats {
  const onsets = findOnsets(samples);
  const tempo = onsets && findTempo(onsets.envelope);
  if (!onsets || !tempo) return { bpm: given ?? 0, beats: [], confidence: 0 };
  const period = (60 * envelopeRate) / (given ?? tempo.bpm);
  const { envelope } = onsets;
  const tracked = accented(trackBeats(smoothed(envelope, period / 32), period), onsets);
  const counted = given === undefined ? withoutSubdivisions(tracked, period, onsets) : tracked;
  const beats = heardBeats(counted, envelope).map(
    (frame) => (strongest(envelope, frame).frame + delayFrames) / envelopeRate,
  );
  return {
    bpm: given ?? toHundredths(steadyTempo(beats) ?? tempo.bpm),
    beats: beats.map(toTenThousandths),
    confidence: toHundredths(tempo.confidence),
  };
}

/** The window of a frame reaches into an onset before the frame does. */
const delayFrames = 2.5;

/** The best sequence of frames, about one period apart. */
function trackBeats(strengths: Float64Array, period: number): readonly number[] {
  const nearest = Math.max(1, Math.round(period / 2));
  const farthest = Math.round(2 * period);
  const costs = Float64Array.from(
    { length: farthest + 1 },
    (_, distance) => -tightness * Math.log(Math.max(distance, 1) / period) ** 2,
  );
  const scores = new Float64Array(strengths.length);
  const previous = new Int32Array(strengths.length).fill(-1);
  for (let frame = 0; frame < strengths.length; frame++) {
    let best = 0;
    for (let distance = nearest; distance <= farthest && distance <= frame; distance++) {
      const score = scores[frame - distance]! + costs[distance]!;
      if (score > best) {
        best = score;
        previous[frame] = frame - distance;
      }
    }
    scores[frame] = strengths[frame]! + best;
  }
  return backFrom(lastBeat(scores, farthest), previous);
}

/** The best score within the last periods. */
function lastBeat(scores: Float64Array, reach: number): number {
  let best = Math.max(0, scores.length - reach);
  for (let frame = best; frame < scores.length; frame++) if (scores[frame]! > scores[best]!) best = frame;
  return best;
}

function backFrom(last: number, previous: Int32Array): readonly number[] {
  const frames: number[] = [];
  for (let frame = last; frame >= 0; frame = previous[frame]!) frames.push(frame);
  return frames.reverse();
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** The mean accent of some frames, each with what begins within 40 ms of it. */
const accentOf = (accents: Float64Array, frames: readonly number[]): number =>
  mean(
    frames.map((frame) => accents.subarray(Math.max(0, frame - 10), frame + 11).reduce((sum, rise) => sum + rise, 0)),
  );

const middlesOf = (frames: readonly number[]): readonly number[] =>
  frames.slice(1).map((frame, index) => Math.round((frame + frames[index]!) / 2));

/** The middles of the beats if these are the louder ones: cymbals between the drums begin as sharply as drums. */
function accented(beats: readonly number[], { envelope, deepAccents }: Onsets): readonly number[] {
  const middles = middlesOf(beats);
  if (middles.length === 0 || accentOf(deepAccents, middles) < 1.5 * accentOf(deepAccents, beats)) return beats;
  const before = 2 * beats[0]! - middles[0]!;
  const after = 2 * beats.at(-1)! - middles.at(-1)!;
  return [before, ...middles, after].filter((frame) => frame >= 0 && frame < envelope.length);
}

/** Faster than a hundred beats a minute: half as many are a tempo, too. */
const longestSubdivision = 0.6 * envelopeRate;

/** Every other beat if those between them are much quieter, and nothing lies between all of them. */
function withoutSubdivisions(
  beats: readonly number[],
  period: number,
  { accents, deepAccents }: Onsets,
): readonly number[] {
  if (period > longestSubdivision || beats.length < 4) return beats;
  const [even, odd] = [0, 1].map((first) => beats.filter((_, index) => index % 2 === first)) as [number[], number[]];
  const [ofEven, ofOdd] = [accentOf(deepAccents, even), accentOf(deepAccents, odd)];
  const isSubdivided = accentOf(accents, middlesOf(beats)) > 0.3 * accentOf(accents, beats);
  if (isSubdivided || Math.max(ofEven, ofOdd) < 3 * Math.min(ofEven, ofOdd)) return beats;
  return ofEven > ofOdd ? even : odd;
}

/** Leaves out beats before the first onset and after the last one. */
function heardBeats(frames: readonly number[], envelope: Float64Array): readonly number[] {
  const strengths = frames.map((frame) => strongest(envelope, frame).strength);
  const level = 0.25 * Math.sqrt(strengths.reduce((sum, strength) => sum + strength ** 2, 0) / frames.length);
  const isHeard = (strength: number) => strength > level;
  return frames.slice(strengths.findIndex(isHeard), strengths.findLastIndex(isHeard) + 1);
}

/** In frames: an onset this near to a beat is its beginning. */
const reach = 5;

function strongest(envelope: Float64Array, frame: number) {
  let top = frame;
  for (let near = Math.max(0, frame - reach); near <= frame + reach; near++) {
    if ((envelope[near] ?? 0) > envelope[top]!) top = near;
  }
  return { frame: top, strength: envelope[top]! };
}

/** The tempo of the line through the beats; undefined if they do not lie on one. */
function steadyTempo(beats: readonly number[]): number | undefined {
  if (beats.length < 4) return undefined;
  const distances = beats.slice(1).map((beat, index) => beat - beats[index]!);
  const middle = distances.toSorted((one, other) => one - other)[distances.length >> 1]!;
  let number = 0;
  const numbered = beats.map((beat, index) => {
    if (index > 0) number += Math.max(1, Math.round((beat - beats[index - 1]!) / middle));
    return { beat, number };
  });
  const center = { beat: mean(beats), number: mean(numbered.map((each) => each.number)) };
  const products = numbered.map((each) => (each.number - center.number) * (each.beat - center.beat));
  const squares = numbered.map((each) => (each.number - center.number) ** 2);
  const period = mean(products) / mean(squares);
  return period > 0 ? 60 / period : undefined;
}
