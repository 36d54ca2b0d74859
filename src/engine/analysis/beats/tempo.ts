import { envelopeRate } from "./onsets.ts";

/** The tempos that are found, in beats a minute. */
export const tempoRange = { least: 40, most: 240 };

/** People tap near to this tempo, in beats a minute; the deviation is in octaves. */
const preferred = { bpm: 120, octaves: 1.2 };

/**
 * What lies at a beat repeats after several beats as well, as half bars and bars do, and a beat of three in a bar would
 * not. Weights found with 79 drawn songs of 60 to 174 beats a minute: 66 tempos were right, 9 half or double.
 */
const weights = new Map([
  [1, 1],
  [2, 1],
  [3, 0.5],
  [4, 1],
  [8, 0.5],
]);

const longestLag = Math.ceil((8 * 60 * envelopeRate) / tempoRange.least);

export type Tempo = {
  readonly bpm: number;
  /** How much the onsets repeat at this tempo: 0 to 1. */
  readonly confidence: number;
};

/** The tempo at which the onsets repeat best, weighed by how people tap; undefined for a sound of less than two beats. */
export function findTempo(envelope: Float64Array): Tempo | undefined {
  const lags = Math.min(longestLag, Math.floor(envelope.length * 0.75));
  const repeats = autocorrelation(envelope, lags);
  const shortest = Math.floor((60 * envelopeRate) / tempoRange.most);
  const longest = Math.min(Math.ceil((60 * envelopeRate) / tempoRange.least), lags);
  if (longest <= shortest) return undefined;
  let best = { lag: shortest, score: Number.NEGATIVE_INFINITY };
  for (let lag = shortest; lag <= longest; lag++) {
    const octaves = Math.log2((60 * envelopeRate) / lag / preferred.bpm) / preferred.octaves;
    const score = strengthAt(repeats, lag) * Math.exp(-0.5 * octaves ** 2);
    if (score > best.score) best = { lag, score };
  }
  const lag = refined(repeats, best.lag);
  return { bpm: (60 * envelopeRate) / lag, confidence: Math.min(1, Math.max(0, peakNear(repeats, lag).value)) };
}

function strengthAt(repeats: Float64Array, lag: number): number {
  let strength = 0;
  for (const [beats, weight] of weights) {
    strength += weight * peakNear(repeats, beats * lag, beats === 1 ? 0 : beats > 2 ? 3 : 2).value;
  }
  return strength;
}

/** The autocorrelation relative to that of no lag. */
function autocorrelation(values: Float64Array, lags: number): Float64Array {
  const sums = Float64Array.from({ length: lags + 1 }, (_, lag) => {
    let sum = 0;
    for (let at = lag; at < values.length; at++) sum += values[at]! * values[at - lag]!;
    return sum / (values.length - lag);
  });
  return sums.map((sum) => sum / sums[0]!);
}

/** The highest value within a few values of a lag, at a fraction of a lag. */
function peakNear(repeats: Float64Array, lag: number, reach = 2): { readonly lag: number; readonly value: number } {
  const middle = Math.round(lag);
  let top = middle;
  for (let near = middle - reach; near <= middle + reach; near++) {
    if ((repeats[near] ?? 0) > (repeats[top] ?? 0)) top = near;
  }
  const [before = 0, value = 0, after = 0] = [repeats[top - 1], repeats[top], repeats[top + 1]];
  const bend = before - 2 * value + after;
  return { lag: bend < 0 ? top + (0.5 * (before - after)) / bend : top, value };
}

/** A more exact lag, from the lags of two and four beats where these repeat as well. */
function refined(repeats: Float64Array, lag: number): number {
  let exact = peakNear(repeats, lag).lag;
  for (const beats of [2, 4]) {
    const peak = peakNear(repeats, beats * exact, beats);
    if (peak.value > 0.5 * (repeats[Math.round(lag)] ?? 0)) exact = peak.lag / beats;
  }
  return exact;
}
