import { fromDecibels, log2, sampleRate, saturate, sine } from "./numbers.ts";

/** Samples of the two sides of a mix. */
export type Stereo = { readonly left: Float32Array; readonly right: Float32Array };

export const newStereo = (samples: number): Stereo => ({
  left: new Float32Array(samples),
  right: new Float32Array(samples),
});

/** Samples of the delays of a room, different on both sides. */
const combs = [1557, 1617, 1491, 1422, 1277, 1356];
const passes = [225, 556, 441, 341];
const sideDistance = 23;

/** Adds the reverberation of a room to a mix. */
export function addRoom(
  input: Stereo,
  output: Stereo,
  { seconds, damping, level }: { readonly seconds: number; readonly damping: number; readonly level: number },
): void {
  addSide(input.left, input.right, output.left, 0);
  addSide(input.right, input.left, output.right, sideDistance);

  function addSide(own: Float32Array, other: Float32Array, mixed: Float32Array, distance: number): void {
    const wet = new Float32Array(own.length);
    for (const comb of combs) {
      const feedback = fromDecibels((-60 * (comb + distance)) / (seconds * sampleRate));
      addComb(own, other, wet, { size: comb + distance, feedback, damping });
    }
    for (const pass of passes) spread(wet, pass + distance);
    addWithoutBass(wet, mixed, 0.22 * level);
  }
}

const predelay = Math.round(0.012 * sampleRate);

/** Keeps numbers out of the range in which processors are slow. */
const tiny = 1e-18;

type Comb = { readonly size: number; readonly feedback: number; readonly damping: number };

function addComb(own: Float32Array, other: Float32Array, wet: Float32Array, { size, feedback, damping }: Comb): void {
  const buffer = new Float32Array(size);
  let place = 0;
  let smooth = 0;
  for (let at = predelay; at < own.length; at++) {
    const value = buffer[place]!;
    smooth = value + damping * (smooth - value) + tiny;
    buffer[place] = 0.75 * own[at - predelay]! + 0.25 * other[at - predelay]! + smooth * feedback;
    place++;
    if (place === size) place = 0;
    wet[at] = wet[at]! + value;
  }
}

function spread(wet: Float32Array, size: number): void {
  const buffer = new Float32Array(size);
  let place = 0;
  for (let at = 0; at < wet.length; at++) {
    const value = buffer[place]!;
    const fresh = wet[at]!;
    buffer[place] = fresh + 0.5 * value + tiny;
    wet[at] = value - 0.5 * fresh;
    place++;
    if (place === size) place = 0;
  }
}

/** A room has no deep bass. */
function addWithoutBass(wet: Float32Array, mixed: Float32Array, level: number): void {
  let low = 0;
  for (let at = 0; at < wet.length; at++) {
    const value = wet[at]!;
    low += 0.026 * (value - low) + tiny;
    mixed[at] = mixed[at]! + level * (value - low);
  }
}

/** Adds echoes that change sides. */
export function addEcho(
  input: Stereo,
  output: Stereo,
  { seconds, feedback, level }: { readonly seconds: number; readonly feedback: number; readonly level: number },
): void {
  const distance = Math.max(1, Math.round(seconds * sampleRate));
  const length = input.left.length;
  const left = new Float32Array(length);
  const right = new Float32Array(length);
  let [smoothLeft, smoothRight] = [0, 0];
  for (let at = distance; at < length; at++) {
    const dry = 0.5 * (input.left[at - distance]! + input.right[at - distance]!);
    smoothLeft += 0.4 * (dry + feedback * right[at - distance]! - smoothLeft);
    smoothRight += 0.4 * (left[at - distance]! - smoothRight);
    left[at] = smoothLeft;
    right[at] = smoothRight;
    output.left[at]! += level * smoothLeft;
    output.right[at]! += level * smoothRight;
  }
}

/** The filters of ITU-R BS.1770 at 48 kHz. */
const shelf = { b: [1.53512485958697, -2.69169618940638, 1.19839281085285], a: [-1.69065929318241, 0.73248077421585] };
const pass = { b: [1, -2, 1], a: [-1.99004745483398, 0.99007225036621] };

/** The power of each tenth of a second, weighted as ears do. */
function weightedPowers(samples: Float32Array): Float64Array {
  const hop = sampleRate / 10;
  const powers = new Float64Array(Math.max(1, Math.floor(samples.length / hop)));
  const [b0 = 0, b1 = 0, b2 = 0] = shelf.b;
  const [a1 = 0, a2 = 0] = shelf.a;
  const [p1 = 0, p2 = 0] = pass.a;
  // the last two values before, in and after both filters
  let x1 = 0;
  let x2 = 0;
  let y1 = 0;
  let y2 = 0;
  let z1 = 0;
  let z2 = 0;
  for (let part = 0; part < powers.length; part++) {
    let sum = 0;
    const last = Math.min(samples.length, (part + 1) * hop);
    for (let at = part * hop; at < last; at++) {
      const x = samples[at]!;
      const y = b0 * x + b1 * x1 + b2 * x2 - a1 * y1 - a2 * y2 + tiny;
      const z = y - 2 * y1 + y2 - p1 * z1 - p2 * z2;
      x2 = x1;
      x1 = x;
      y2 = y1;
      y1 = y;
      z2 = z1;
      z1 = z;
      sum += z * z;
    }
    powers[part] = sum / (last - part * hop);
  }
  return powers;
}

const toLufs = (power: number): number => -0.691 + 3.010299956639812 * log2(Math.max(power, 1e-12));

/** The loudness of windows of four tenths of a second. */
function windowPowers({ left, right }: Stereo): readonly number[] {
  const [one, other] = [weightedPowers(left), weightedPowers(right)];
  const tenths = Array.from(one, (power, index) => power + other[index]!);
  if (tenths.length < 4) return [tenths.reduce((sum, each) => sum + each, 0) / tenths.length];
  return tenths
    .slice(3)
    .map((_, index) => (tenths[index]! + tenths[index + 1]! + tenths[index + 2]! + tenths[index + 3]!) / 4);
}

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

/** The integrated loudness in LUFS. */
export function loudnessOf(mix: Stereo): number {
  const heard = windowPowers(mix).filter((power) => toLufs(power) > -70);
  const gate = toLufs(meanOf(heard)) - 10;
  return toLufs(meanOf(heard.filter((power) => toLufs(power) >= gate)));
}

/** The loudness in LUFS of the loudest tenth of a second. */
export function loudestOf({ left, right }: Stereo): number {
  const [one, other] = [weightedPowers(left), weightedPowers(right)];
  return toLufs(Math.max(...Array.from(one, (power, index) => power + other[index]!)));
}

/** Removes what is lower than speakers play, and lifts the highs a little, as a master does. */
export function clear({ left, right }: Stereo): void {
  for (const side of [left, right]) clearSide(side);
}

/** Shares of a sample: the corners are at about 28 and 4,500 Hz. */
const rumble = 0.0037;
const air = 0.45;
const airGain = 0.5;

function clearSide(samples: Float32Array): void {
  let first = 0;
  let second = 0;
  let low = 0;
  for (let at = 0; at < samples.length; at++) {
    first += rumble * (samples[at]! - first) + tiny;
    const once = samples[at]! - first;
    second += rumble * (once - second) + tiny;
    const value = once - second;
    low += air * (value - low) + tiny;
    samples[at] = value + airGain * (value - low);
  }
}

/** Multiplies by a factor and bends peaks softly. */
export function amplify({ left, right }: Stereo, factor: number, bends: boolean): void {
  for (const side of [left, right]) {
    for (let at = 0; at < side.length; at++) {
      const value = side[at]! * factor;
      side[at] = bends ? saturate(value * 0.7) / 0.7 : value;
    }
  }
}

const limiterBlock = 32;
const releaseBlocks = 120;

/** Keeps peaks below a ceiling. Its gain falls before a peak and rises slowly after it. */
export function limitPeaks({ left, right }: Stereo, ceiling: number): void {
  const count = Math.ceil(left.length / limiterBlock) + 1;
  const needed = new Float64Array(count).fill(1);
  for (let at = 0; at < left.length; at++) {
    const peak = Math.max(Math.abs(left[at]!), Math.abs(right[at]!));
    if (peak > ceiling) {
      const part = Math.floor(at / limiterBlock);
      needed[part] = Math.min(needed[part]!, ceiling / peak);
    }
  }
  const gains = new Float64Array(count + 1).fill(1);
  for (let part = 0; part <= count; part++) {
    let least = 1;
    for (let near = -1; near <= 3; near++) least = Math.min(least, needed[part + near] ?? 1);
    const before = part > 0 ? gains[part - 1]! : 1;
    const risen = before + (1 - before) / releaseBlocks;
    gains[part] = Math.min(least, risen);
  }
  for (let at = 0; at < left.length; at++) {
    const part = Math.floor(at / limiterBlock);
    const share = (at % limiterBlock) / limiterBlock;
    const gain = gains[part]! + (gains[part + 1]! - gains[part]!) * share;
    left[at]! *= gain;
    right[at]! *= gain;
  }
}

/** Fades to silence, which lasts for the last samples. */
export function fadeEnd({ left, right }: Stereo, fadeSamples: number, silentSamples: number): void {
  const end = left.length - silentSamples;
  const first = Math.max(0, end - fadeSamples);
  for (let at = first; at < left.length; at++) {
    const share = at >= end ? 0 : (end - at) / fadeSamples;
    const gain = 0.5 - 0.5 * sine(0.25 + Math.min(1, share) / 2);
    left[at]! *= gain;
    right[at]! *= gain;
  }
}

/** 16-bit WAV in two channels. */
export function toWav({ left, right }: Stereo): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(wavBytes(left.length));
  const view = new DataView(bytes.buffer);
  const text = (at: number, value: string) => {
    for (let index = 0; index < value.length; index++) bytes[at + index] = value.charCodeAt(index);
  };
  text(0, "RIFF");
  view.setUint32(4, bytes.length - 8, true);
  text(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 2, true);
  view.setUint32(24, sampleRate, true);
  view.setUint32(28, sampleRate * 4, true);
  view.setUint16(32, 4, true);
  view.setUint16(34, 16, true);
  text(36, "data");
  view.setUint32(40, left.length * 4, true);
  const samples = new Int16Array(bytes.buffer, 44);
  for (let at = 0; at < left.length; at++) {
    samples[2 * at] = toInteger(left[at]!);
    samples[2 * at + 1] = toInteger(right[at]!);
  }
  return bytes;
}

const toInteger = (value: number): number => Math.max(-32_768, Math.min(32_767, Math.floor(value * 32_767 + 0.5)));

const headerBytes = 44;

/** The size of a file of so many samples. */
export const wavBytes = (samples: number): number => headerBytes + samples * 4;
