import { spectrumOf } from "./spectrum.ts";

/** The rate of the sound that beats are found in. */
export const beatSampleRate = 16_000;

/** Four milliseconds between two values of the envelope. */
const hop = 64;
export const envelopeRate = beatSampleRate / hop;

/** 32 ms. */
const windowSamples = 512;

const bandCount = 40;

/** In decibels below the loudest band: quieter ones do not count. */
const rangeDecibels = 60;

/** How sounds begin, at `envelopeRate`. */
export type Onsets = {
  /**
   * The rise of the levels in mel bands, as in Ellis, Beat Tracking by Dynamic Programming (2007). Its mean is 0 and its
   * deviation 1.
   */
  readonly envelope: Float64Array;
  /** The rise of the amplitudes of all bands, and of those without cymbals: what is loud is an accent. */
  readonly accents: Float64Array;
  readonly deepAccents: Float64Array;
};

/** Undefined for silence. */
export function findOnsets(samples: Int16Array): Onsets | undefined {
  const frames = Math.ceil(samples.length / hop);
  const levels = levelsOf(samples, frames);
  const loudest = levels.reduce((most, level) => Math.max(most, level), Number.NEGATIVE_INFINITY);
  if (!(loudest > silenceDecibels)) return undefined;
  const floor = loudest - rangeDecibels;
  const rises = new Float64Array(frames);
  for (let frame = 1; frame < frames; frame++) {
    let rise = 0;
    for (let band = 0; band < bandCount; band++) {
      const level = Math.max(floor, levels[frame * bandCount + band]!);
      const before = Math.max(floor, levels[(frame - 1) * bandCount + band]!);
      if (level > before) rise += level - before;
    }
    rises[frame] = rise;
  }
  const envelope = normalized(withoutDrift(rises));
  return envelope && { envelope, accents: risesOf(levels, bandCount), deepAccents: risesOf(levels, deepBands) };
}

/** The rises of the amplitudes in the first bands. */
function risesOf(levels: Float32Array, bands: number): Float64Array {
  const frames = levels.length / bandCount;
  const amplitudes = Float64Array.from(levels, (level) => 10 ** (level / 20));
  return Float64Array.from({ length: frames }, (_, frame) => {
    let rise = 0;
    for (let band = 0; band < bands && frame > 0; band++) {
      const at = frame * bandCount + band;
      rise += Math.max(0, amplitudes[at]! - amplitudes[at - bandCount]!);
    }
    return rise;
  });
}

const silenceDecibels = -80;

/** The levels of all bands in decibels, frame by frame. */
function levelsOf(samples: Int16Array, frames: number): Float32Array {
  const spectrum = spectrumOf(windowSamples);
  const bands = melBands();
  const levels = new Float32Array(frames * bandCount);
  for (let frame = 0; frame < frames; frame++) {
    // the window lies around the time of its frame
    const powers = spectrum(samples, frame * hop - windowSamples / 2);
    for (const [band, { first, weights }] of bands.entries()) {
      let power = 1e-12;
      for (let at = 0; at < weights.length; at++) power += weights[at]! * powers[first + at]!;
      levels[frame * bandCount + band] = 10 * Math.log10(power);
    }
  }
  return levels;
}

const toMel = (hertz: number): number => 2595 * Math.log10(1 + hertz / 700);
const toHertz = (mel: number): number => 700 * (10 ** (mel / 2595) - 1);

/** Below 2 kHz. */
const deepBands = Math.floor(((bandCount + 1) * toMel(2000)) / toMel(beatSampleRate / 2));

/** Triangles that overlap by half, each at least two bins wide. */
function melBands() {
  const top = toMel(beatSampleRate / 2);
  const binOf = (edge: number) => (toHertz((top * edge) / (bandCount + 1)) * windowSamples) / beatSampleRate;
  return Array.from({ length: bandCount }, (_, band) => {
    const center = binOf(band + 1);
    const low = Math.min(binOf(band), center - 1);
    const high = Math.max(binOf(band + 2), center + 1);
    const first = Math.max(0, Math.ceil(low));
    const last = Math.min(windowSamples / 2 - 1, Math.floor(high));
    const weights = Array.from({ length: Math.max(0, last - first + 1) }, (__, at) => {
      const bin = first + at;
      return bin <= center ? (bin - low) / (center - low) : (high - bin) / (high - center);
    });
    return { first, weights };
  });
}

/** Subtracts the mean of the second around each value. */
function withoutDrift(values: Float64Array): Float64Array {
  const half = envelopeRate / 2;
  const sums = new Float64Array(values.length + 1);
  for (let at = 0; at < values.length; at++) sums[at + 1] = sums[at]! + values[at]!;
  return values.map((value, at) => {
    const first = Math.max(0, at - half);
    const last = Math.min(values.length, at + half);
    return value - (sums[last]! - sums[first]!) / (last - first);
  });
}

function normalized(values: Float64Array): Float64Array | undefined {
  const power = values.reduce((sum, value) => sum + value * value, 0) / values.length;
  return power > 0 ? values.map((value) => value / Math.sqrt(power)) : undefined;
}

/** Smooths by a bell curve of this deviation, in values. */
export function smoothed(values: Float64Array, deviation: number): Float64Array {
  const reach = Math.ceil(3 * deviation);
  const kernel = Float64Array.from({ length: 2 * reach + 1 }, (_, at) =>
    Math.exp(-0.5 * ((at - reach) / deviation) ** 2),
  );
  const total = kernel.reduce((sum, weight) => sum + weight, 0);
  return values.map((_, at) => {
    let sum = 0;
    for (let offset = -reach; offset <= reach; offset++) sum += kernel[offset + reach]! * (values[at + offset] ?? 0);
    return sum / total;
  });
}
