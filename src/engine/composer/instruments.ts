import type { Hit, HitLayer, Instrument, Pluck, Tone } from "./description.ts";
import {
  fallOf,
  frequencyOf,
  fromDecibels,
  log2,
  noiseOf,
  pow2,
  sampleRate,
  saturate,
  seedOf,
  sine,
  tau,
  warped,
} from "./numbers.ts";

/** Samples of both sides; those of a sound in the middle are one array. */
export type Sides = { readonly left: Float32Array; readonly right: Float32Array };

type Note = { readonly note: number /** In seconds. */; readonly length: number };

/** Plays one note of an instrument. */
export function play(instrument: Instrument, note: Note, seed: string): Sides {
  switch (instrument.kind) {
    case "tone":
      return playTone(instrument, note, seedOf(`${seed} ${note.note}`));
    case "pluck":
      return playPluck(instrument, note, seedOf(`${seed} ${note.note}`));
    case "hit":
      return playHit(instrument, seedOf(seed));
  }
}

const middle = (samples: Float32Array): Sides => ({ left: samples, right: samples });

/** Adds samples to others from a place on. */
export function addTo(target: Float32Array, samples: Float32Array, first: number, gain: number): void {
  const count = Math.min(samples.length, target.length - first);
  for (let at = 0; at < count; at++) target[first + at] = target[first + at]! + samples[at]! * gain;
}

/** The damping of a filter. */
const dampingOf = (resonance: number): number => 2 - 1.85 * resonance;

function playTone(tone: Tone, { note, length }: Note, seed: number): Sides {
  const count = Math.ceil((length + tone.release) * sampleRate);
  const left = new Float32Array(count);
  if (tone.voices === 1) {
    oscillate(left, tone, note, seed, 0);
    shape(left, tone, length, seed);
    return middle(left);
  }
  const right = new Float32Array(count);
  const { voices, detune } = tone;
  for (let voice = 0; voice < voices; voice++) {
    const offset = voices === 1 ? 0 : (2 * voice) / (voices - 1) - 1;
    const place = voice % 2 === 0 ? offset : -offset;
    const cents = detune * offset;
    const own = new Float32Array(count);
    oscillate(own, tone, note + cents / 100, seed + voice * 7919, cents);
    const gain = 1 / Math.sqrt(voices);
    const leftGain = gain * Math.sqrt((1 - 0.8 * place) / 2) * Math.SQRT2;
    const rightGain = gain * Math.sqrt((1 + 0.8 * place) / 2) * Math.SQRT2;
    addTo(left, own, 0, leftGain);
    addTo(right, own, 0, rightGain);
  }
  shape(left, tone, length, seed);
  shape(right, tone, length, seed + 1);
  return { left, right };
}

/** Smooths the jump of a saw or a square, so that it has no tones above half of the sample rate. */
function smoothedJump(phase: number, step: number): number {
  if (phase < step) {
    const t = phase / step;
    return t + t - t * t - 1;
  }
  if (phase > 1 - step) {
    const t = (phase - 1) / step;
    return t * t + t + t + 1;
  }
  return 0;
}

function oscillate(output: Float32Array, tone: Tone, note: number, seed: number, cents: number): void {
  const step = frequencyOf(note) / sampleRate;
  // voices that begin in phase sound like one
  const phase = cents === 0 ? 0 : ((seed >>> 8) % 1000) / 1000;
  const bends = bendsOf(tone, output.length);
  if (tone.wave === "saw") saw(output, step, phase, bends);
  else if (tone.wave === "square") square(output, step, phase, bends);
  else if (tone.wave === "triangle") triangle(output, step, phase, bends);
  else if (tone.wave === "fm") modulated(output, step, tone, bends);
  else partials(output, step, phase, { bends, gains: tone.wave === "organ" ? organ : pure });
  if (tone.sub > 0) addSub(output, step / 2, tone.sub);
}

/** The factor of the pitch for each block of samples: vibrato. */
function bendsOf({ vibrato, vibratoRate }: Tone, samples: number): Float64Array {
  const bends = new Float64Array(Math.ceil(samples / block)).fill(1);
  if (vibrato === 0) return bends;
  return bends.map((_, index) => 1 + vibrato * 0.000578 * sine((index * block * vibratoRate) / sampleRate));
}

function saw(output: Float32Array, step: number, begin: number, bends: Float64Array): void {
  let phase = begin;
  for (let at = 0; at < output.length; at++) {
    const moved = step * bends[at >> 4]!;
    phase += moved;
    if (phase >= 1) phase -= 1;
    output[at] = (2 * phase - 1 - smoothedJump(phase, moved)) * 0.6;
  }
}

function square(output: Float32Array, step: number, begin: number, bends: Float64Array): void {
  let phase = begin;
  for (let at = 0; at < output.length; at++) {
    const moved = step * bends[at >> 4]!;
    phase += moved;
    if (phase >= 1) phase -= 1;
    const half = phase >= 0.5 ? phase - 0.5 : phase + 0.5;
    output[at] = ((phase < 0.5 ? 1 : -1) + smoothedJump(phase, moved) - smoothedJump(half, moved)) * 0.5;
  }
}

function triangle(output: Float32Array, step: number, begin: number, bends: Float64Array): void {
  let phase = begin;
  for (let at = 0; at < output.length; at++) {
    phase += step * bends[at >> 4]!;
    if (phase >= 1) phase -= 1;
    output[at] = phase < 0.5 ? 4 * phase - 1 : 3 - 4 * phase;
  }
}

/** The levels of the first partials. */
const pure: readonly number[] = [1];
const organ: readonly number[] = [0.5, 0.3, 0.16, 0.1];

type Partials = { readonly bends: Float64Array; readonly gains: readonly number[] };

function partials(output: Float32Array, step: number, begin: number, { bends, gains }: Partials): void {
  for (const [index, gain] of gains.entries()) {
    let phase = begin;
    for (let at = 0; at < output.length; at++) {
      phase += step * (index + 1) * bends[at >> 4]!;
      output[at] = output[at]! + gain * sine(phase);
    }
  }
}

function modulated(output: Float32Array, step: number, tone: Tone, bends: Float64Array): void {
  const fall = fallOf(tone.indexSeconds);
  let index = tone.index / tau;
  let phase = 0;
  let modulator = 0;
  for (let at = 0; at < output.length; at++) {
    const moved = step * bends[at >> 4]!;
    phase += moved;
    modulator += moved * tone.ratio;
    output[at] = sine(phase + index * sine(modulator)) * 0.8;
    index *= fall;
  }
}

function addSub(output: Float32Array, step: number, gain: number): void {
  let phase = 0;
  for (let at = 0; at < output.length; at++) {
    phase += step;
    output[at] = output[at]! + gain * sine(phase);
  }
}

/** How often filters and pitches take new values, in samples: a power of two, for which `>> 4` stands. */
const block = 16;

/** The filter, the drive and the envelope of a tone. */
function shape(samples: Float32Array, tone: Tone, length: number, seed: number): void {
  const { breath, cutoff, sweep, drive } = tone;
  if (breath > 0) addNoise(samples, breath, seed);
  if (cutoff < 15_000 || sweep !== 0)
    filterIn(samples, "low", dampingOf(tone.resonance), cutoffsOf(tone, samples.length));
  if (drive > 0) overdrive(samples, drive);
  envelope(samples, tone, length);
}

function addNoise(samples: Float32Array, gain: number, seed: number): void {
  const noise = noiseOf(seed);
  for (let at = 0; at < samples.length; at++) samples[at] = samples[at]! + gain * noise();
}

/** The warped cutoff of each block. */
function cutoffsOf({ cutoff, sweep, sweepSeconds }: Tone, samples: number): Float64Array {
  const cutoffs = new Float64Array(Math.ceil(samples / block));
  const fall = pow2((-block * 9.965784) / Math.max(1, sweepSeconds * sampleRate));
  let octaves = sweep;
  for (let index = 0; index < cutoffs.length; index++) {
    // nothing moves any more
    if (index > 0 && octaves < 0.002 && octaves > -0.002) cutoffs[index] = cutoffs[index - 1]!;
    else cutoffs[index] = warped(cutoff * pow2(octaves));
    octaves *= fall;
  }
  return cutoffs;
}

/** A filter of two poles, with its cutoff for each block. */
function filterIn(samples: Float32Array, kind: "low" | "high" | "band", damping: number, cutoffs: Float64Array): void {
  const [toLow, toBand, toHigh] = [kind === "low" ? 1 : 0, kind === "band" ? 1 : 0, kind === "high" ? 1 : 0];
  let first = 0;
  let second = 0;
  for (let part = 0; part < cutoffs.length; part++) {
    const g = cutoffs[part]!;
    const a = 1 / (1 + g * (g + damping));
    const last = Math.min(samples.length, (part + 1) * block);
    for (let at = part * block; at < last; at++) {
      const high = (samples[at]! - (damping + g) * first - second) * a;
      const band = first + g * high;
      const low = second + g * band;
      first = band + g * high + tiny;
      second = low + g * band;
      samples[at] = toLow * low + toBand * band + toHigh * high;
    }
  }
}

/** Keeps numbers out of the range in which processors are slow. */
const tiny = 1e-18;

function overdrive(samples: Float32Array, decibels: number): void {
  const gain = fromDecibels(decibels);
  const level = 1 / Math.sqrt(gain);
  for (let at = 0; at < samples.length; at++) samples[at] = saturate(samples[at]! * gain) * level;
}

function envelope(samples: Float32Array, { attack, decay, sustain, release }: Tone, length: number): void {
  const decayFall = fallOf(decay * 1.6);
  const releaseFall = fallOf(release);
  const attackSamples = Math.max(24, attack * sampleRate);
  const held = Math.max(attackSamples, length * sampleRate);
  const edge = Math.min(480, samples.length >> 1);
  let above = 1;
  let released = 1;
  for (let at = 0; at < samples.length; at++) {
    let level = at / attackSamples;
    if (at >= attackSamples) {
      level = sustain + (1 - sustain) * above;
      above *= decayFall;
    }
    if (at >= held) {
      level *= released;
      released *= releaseFall;
    }
    const rest = samples.length - at;
    samples[at] = samples[at]! * (rest < edge ? (level * rest) / edge : level);
  }
}

function playPluck(pluck: Pluck, { note, length }: Note, seed: number): Sides {
  const frequency = frequencyOf(note);
  const seconds = pluck.decay * Math.sqrt(220 / frequency);
  const count = Math.ceil(Math.min(seconds * 1.2, length + pluck.release) * sampleRate);
  const output = new Float32Array(count);
  // a filter of the string takes half a sample
  const period = sampleRate / frequency - 0.5;
  const size = Math.floor(period);
  const fraction = period - size;
  const string = new Float32Array(size + 2);
  const noise = noiseOf(seed);
  const bright = 0.15 + 0.85 * pluck.brightness;
  let smooth = 0;
  for (let index = 0; index < string.length; index++) {
    smooth += bright * (noise() - smooth);
    string[index] = smooth;
  }
  // struck at a fifth of the string
  const struck = Math.max(1, Math.floor(size / 5));
  const excited = string.map((value, index) => value - 0.8 * string[(index + struck) % string.length]!);
  let power = 0;
  for (const value of excited) power += value * value;
  const level = 0.35 / Math.sqrt(power / excited.length + 1e-9);
  const loss = pow2((-9.965784 * period) / (seconds * sampleRate));
  const gain = pluck.drive > 0 ? fromDecibels(pluck.drive) : 1;
  const held = length * sampleRate;
  const releaseFall = fallOf(pluck.release);
  let [released, at0, previous] = [1, 0, 0];
  const period0 = excited.length;
  for (let at = 0; at < count; at++) {
    const next = at0 + 1 < period0 ? at0 + 1 : 0;
    const value = excited[at0]! * (1 - fraction) + excited[next]! * fraction;
    const damped = loss * (0.5 * value + 0.5 * previous);
    previous = value;
    excited[at0] = damped;
    at0 = next;
    const raw = value * level;
    const driven = pluck.drive > 0 ? saturate(raw * gain) / Math.sqrt(gain) : raw;
    if (at >= held) released *= releaseFall;
    const rest = count - at;
    output[at] = driven * released * (at < 48 ? at / 48 : 1) * (rest < 240 ? rest / 240 : 1);
  }
  return middle(output);
}

function playHit({ layers }: Hit, seed: number): Sides {
  const count = Math.max(...layers.map(layerSamples));
  const left = new Float32Array(count);
  const right = new Float32Array(count);
  for (const [index, layer] of layers.entries()) {
    const isWide = layer.width > 0 && (layer.source === "noise" || layer.source === "metal");
    const one = playLayer(layer, seed + index * 104_729);
    const other = isWide ? playLayer(layer, seed + index * 104_729 + 15_485_863) : one;
    const first = Math.round(layer.delay * sampleRate);
    const gain = fromDecibels(layer.volume);
    const [leftGain, rightGain] = [gain * Math.min(1, 1 - layer.pan), gain * Math.min(1, 1 + layer.pan)];
    const shared = isWide ? 1 - layer.width / 2 : 1;
    addTo(left, one, first, leftGain * shared);
    addTo(right, other, first, rightGain * shared);
    if (!isWide) continue;
    addTo(left, other, first, leftGain * (1 - shared));
    addTo(right, one, first, rightGain * (1 - shared));
  }
  return { left, right };
}

const layerSamples = (layer: HitLayer): number => Math.ceil((layer.delay + lengthOf(layer)) * sampleRate);

const lengthOf = ({ attack, hold, decay, strikes, distance }: HitLayer): number =>
  attack + hold + decay + (strikes - 1) * distance;

/** The ratios of a cymbal's square waves. */
const metalRatios = [1, 1.342, 1.2312, 1.6532, 1.9523, 2.1523];

function playLayer(layer: HitLayer, seed: number): Float32Array {
  const { source, filter, tremolo, drive } = layer;
  const samples = new Float32Array(Math.ceil(lengthOf(layer) * sampleRate));
  if (source === "noise") addNoise(samples, 1, seed);
  else {
    const steps = stepsOf(layer, samples.length);
    if (source === "metal") metal(samples, steps, seed);
    else if (source === "saw") saw(samples, 1, 0, steps);
    else if (source === "triangle") triangle(samples, 1, 0, steps);
    else partials(samples, 1, 0, { bends: steps, gains: pure });
  }
  if (filter) filterIn(samples, filter.kind, dampingOf(filter.resonance), waysOf(layer, filter, samples.length));
  if (drive > 0) overdrive(samples, drive);
  strike(samples, layer);
  if (tremolo > 0) wobble(samples, tremolo);
  return samples;
}

/** The step of the phase for each block. */
function stepsOf({ from, to = from, bend }: HitLayer, samples: number): Float64Array {
  const steps = new Float64Array(Math.ceil(samples / block)).fill(to / sampleRate);
  const way = log2(to / from);
  if (way === 0) return steps;
  const fall = pow2((-block * 9.965784) / Math.max(1, bend * 2 * sampleRate));
  let rest = 1;
  for (let index = 0; index < steps.length && rest > 0.0005; index++) {
    steps[index] = (to * pow2(-way * rest)) / sampleRate;
    rest *= fall;
  }
  return steps;
}

/** The warped cutoff of each block. */
function waysOf(layer: HitLayer, { from, to = from, seconds }: NonNullable<HitLayer["filter"]>, samples: number) {
  const way = log2(to / from);
  const whole = Math.max(1, (seconds ?? lengthOf(layer)) * sampleRate);
  const cutoffs = new Float64Array(Math.ceil(samples / block)).fill(warped(to));
  if (way === 0) return cutoffs;
  return cutoffs.map((end, index) => {
    const share = (index * block) / whole;
    return share < 1 ? warped(from * pow2(way * share)) : end;
  });
}

/** The sum of six square waves whose ratios are those of a cymbal. */
function metal(output: Float32Array, steps: Float64Array, seed: number): void {
  for (const [index, ratio] of metalRatios.entries()) {
    let phase = ((seed >>> (index * 4)) & 15) / 16;
    for (let at = 0; at < output.length; at++) {
      phase += steps[at >> 4]! * ratio;
      if (phase >= 1) phase -= 1;
      output[at] = output[at]! + (phase < 0.5 ? 0.25 : -0.25);
    }
  }
}

/** The envelope of a struck sound. */
function strike(samples: Float32Array, { attack, hold, decay, strikes, distance }: HitLayer): void {
  const attackSamples = Math.max(1, attack * sampleRate);
  const holdEnd = attackSamples + hold * sampleRate;
  const fall = fallOf(decay);
  const between = Math.max(1, Math.round(distance * sampleRate));
  const edge = Math.min(240, samples.length >> 2);
  let level = 1;
  let since = 0;
  let struck = 1;
  for (let at = 0; at < samples.length; at++) {
    if (since === between && struck < strikes) {
      level = 1;
      since = 0;
      struck++;
    }
    const rising = since < attackSamples ? since / attackSamples : 1;
    if (since > holdEnd) level *= fall;
    since++;
    const rest = samples.length - at;
    samples[at] = samples[at]! * rising * rising * (rest < edge ? (level * rest) / edge : level);
  }
}

function wobble(samples: Float32Array, rate: number): void {
  for (let at = 0; at < samples.length; at++) samples[at] = samples[at]! * (0.6 + 0.4 * sine((at * rate) / sampleRate));
}
