/**
 * Numbers of the composer. They use only operations that IEEE 754 rounds exactly, so the same description gives the same
 * samples on every machine: the functions of Math that approximate are not the same everywhere.
 */

export const sampleRate = 48_000;

export const tau = 2 * Math.PI;

/** e^x for -1 <= x <= 1. */
function exponential(x: number): number {
  let term = 1;
  let sum = 1;
  for (let n = 1; n <= 14; n++) {
    term *= x / n;
    sum += term;
  }
  return sum;
}

const naturalLogOf2 = Math.LN2;

/** 2 to the power of `exponent`. */
export function pow2(exponent: number): number {
  const whole = Math.floor(exponent);
  let power = exponential((exponent - whole) * naturalLogOf2);
  for (let n = 0; n < whole; n++) power *= 2;
  for (let n = 0; n > whole; n--) power /= 2;
  return power;
}

/** The factor of a level in decibels. */
export const fromDecibels = (decibels: number): number => pow2(decibels / 6.020599913279624);

/** The factor for each sample of an exponential fall by 60 dB within `seconds`. */
export const fallOf = (seconds: number): number => pow2(-9.965784284662087 / Math.max(1, seconds * sampleRate));

/** The base-2 logarithm of a positive number, to about twelve digits. */
export function log2(value: number): number {
  let [mantissa, whole] = [value, 0];
  for (; mantissa >= 2; whole++) mantissa /= 2;
  for (; mantissa < 1; whole--) mantissa *= 2;
  let fraction = 0;
  for (let bit = 0.5; bit > 1e-13; bit /= 2) {
    mantissa *= mantissa;
    if (mantissa >= 2) {
      mantissa /= 2;
      fraction += bit;
    }
  }
  return whole + fraction;
}

/** The frequency in hertz of a note; 69 is A4. */
export const frequencyOf = (note: number): number => 440 * pow2((note - 69) / 12);

const tableSize = 8192;
const table = new Float64Array(tableSize + 1);
for (let index = 0; index <= tableSize; index++) {
  // of a quarter, where the series converges fast
  const quarter = tableSize / 4;
  const inHalf = index % (2 * quarter);
  const angle = ((inHalf <= quarter ? inHalf : 2 * quarter - inHalf) / tableSize) * tau;
  let term = angle;
  let sum = angle;
  for (let n = 1; n <= 12; n++) {
    term *= (-angle * angle) / (2 * n * (2 * n + 1));
    sum += term;
  }
  table[index] = index < 2 * quarter || index === tableSize ? sum : -sum;
}
table[tableSize] = 0;

/** The sine of a phase in turns. */
export function sine(turns: number): number {
  const at = (turns - Math.floor(turns)) * tableSize;
  const index = at | 0;
  const from = table[index]!;
  return from + (table[index + 1]! - from) * (at - index);
}

/** Soft clipping: close to the hyperbolic tangent, and 1 from 3 on. */
export function saturate(value: number): number {
  if (value >= 3) return 1;
  if (value <= -3) return -1;
  const square = value * value;
  return (value * (27 + square)) / (27 + 9 * square);
}

/** White noise from -1 to 1, the same for the same seed. */
export function noiseOf(seed: number): () => number {
  let state = (seed ^ 0x9e3779b9) | 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state / 2_147_483_648;
  };
}

/** A seed for a text. */
export function seedOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash;
}

/** The tangent of half of an angular frequency, which filters take: `hertz` below a half of the sample rate. */
export function warped(hertz: number): number {
  const turns = Math.min(0.245, Math.max(0.00002, hertz / (2 * sampleRate)));
  return sine(turns) / sine(turns + 0.25);
}
