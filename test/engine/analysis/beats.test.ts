import { expect, test } from "bun:test";
import { findBeats } from "../../../src/engine/analysis/beats/beats.ts";
import { spectrumOf } from "../../../src/engine/analysis/beats/spectrum.ts";

const rate = 16_000;

type Sounding = (seconds: number) => number;

/** Adds a short sound at each of some times. */
function strikes(samples: Float64Array, times: readonly number[], sound: Sounding, seconds: number): void {
  for (const time of times) {
    const first = Math.round(time * rate);
    const last = Math.min(samples.length, first + seconds * rate);
    for (let at = first; at < last; at++) samples[at] = samples[at]! + sound((at - first) / rate);
  }
}

const every = (period: number, start: number, end: number) =>
  Array.from({ length: Math.floor((end - start) / period) }, (_, index) => start + index * period);

const click: Sounding = (at) => Math.sin(2 * Math.PI * 1000 * at) * Math.exp(-at * 600);
const kick: Sounding = (at) => Math.sin(2 * Math.PI * (50 * at + 3 * (1 - Math.exp(-at * 30)))) * Math.exp(-at * 12);
const hat: Sounding = (at) => 0.15 * Math.sin(1e6 * at * at) * Math.exp(-at * 80);
const snare: Sounding = (at) => 0.5 * Math.sin(2e5 * at * at + 900 * at) * Math.exp(-at * 25);

const sixteenBits = (samples: Float64Array) =>
  Int16Array.from(samples, (level) => Math.round(32_767 * Math.max(-1, Math.min(1, 0.6 * level))));

/** The beats' distances from those of a grid, in seconds. */
const distances = (beats: readonly number[], bpm: number, start: number) =>
  beats.map((beat) => {
    const position = ((beat - start) * bpm) / 60;
    return Math.abs(position - Math.round(position)) * (60 / bpm);
  });

test.each([60, 90, 120, 140])("clicks at %p beats a minute are beats", (bpm) => {
  const samples = new Float64Array(20 * rate);
  strikes(samples, every(60 / bpm, 0.31, 20), click, 0.02);
  const found = findBeats(sixteenBits(samples));
  expect(Math.abs(found.bpm / bpm - 1)).toBeLessThan(0.01);
  expect(found.confidence).toBeGreaterThan(0.8);
  expect(found.beats.length).toBeGreaterThanOrEqual(Math.floor((19.69 * bpm) / 60) - 1);
  expect(Math.max(...distances(found.beats, bpm, 0.31))).toBeLessThan(0.005);
});

test.each([84, 97, 110, 124, 128])("the beats of a drummed song at %p beats a minute lie within 20 ms", (bpm) => {
  const beat = 60 / bpm;
  const samples = new Float64Array(24 * rate);
  strikes(samples, every(2 * beat, 0.2, 24), kick, 0.3);
  strikes(samples, every(2 * beat, 0.2 + beat, 24), snare, 0.2);
  strikes(samples, every(beat / 2, 0.2, 24), hat, 0.06);
  const found = findBeats(sixteenBits(samples));
  expect(Math.abs(found.bpm / bpm - 1)).toBeLessThan(0.01);
  expect(Math.max(...distances(found.beats, bpm, 0.2))).toBeLessThan(0.02);
});

test.each([120, 128, 140])("cymbals between the drums are no beats at %p beats a minute", (bpm) => {
  const beat = 60 / bpm;
  const samples = new Float64Array(20 * rate);
  strikes(samples, every(beat, 0.2, 20), kick, 0.3);
  strikes(samples, every(beat, 0.2 + beat / 2, 20), hat, 0.06);
  const found = findBeats(sixteenBits(samples));
  expect(Math.abs(found.bpm / bpm - 1)).toBeLessThan(0.01);
  expect(Math.max(...distances(found.beats, bpm, 0.2))).toBeLessThan(0.03);
});

test.each([60, 72])("cymbals between the drums do not double a tempo of %p beats a minute", (bpm) => {
  const beat = 60 / bpm;
  const samples = new Float64Array(20 * rate);
  strikes(samples, every(2 * beat, 0.2, 20), kick, 0.3);
  strikes(samples, every(2 * beat, 0.2 + beat, 20), snare, 0.2);
  strikes(samples, every(beat / 2, 0.2, 20), hat, 0.06);
  const found = findBeats(sixteenBits(samples));
  expect(Math.abs(found.bpm / bpm - 1)).toBeLessThan(0.01);
  expect(Math.max(...distances(found.beats, bpm, 0.2))).toBeLessThan(0.03);
});

test("a given tempo overrides the measured one", () => {
  const samples = new Float64Array(20 * rate);
  strikes(samples, every(0.5, 0.25, 20), click, 0.02);
  const half = findBeats(sixteenBits(samples), 60);
  expect(half.bpm).toBe(60);
  expect(half.beats.length).toBeLessThan(22);
  expect(Math.max(...distances(half.beats, 120, 0.25))).toBeLessThan(0.005);
});

test("a sound without a beat has low confidence, silence and nothing have no beats", () => {
  let seed = 1;
  const noise = Float64Array.from({ length: 10 * rate }, () => {
    seed = (seed * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return seed / 2 ** 32 - 0.5;
  });
  expect(findBeats(sixteenBits(noise)).confidence).toBeLessThan(0.2);
  expect(findBeats(new Int16Array(5 * rate))).toEqual({ bpm: 0, beats: [], confidence: 0 });
  expect(findBeats(new Int16Array(0))).toEqual({ bpm: 0, beats: [], confidence: 0 });
});

test("the spectrum of a sine lies at its frequency", () => {
  const sine = Int16Array.from({ length: 512 }, (_, at) => 20_000 * Math.sin((2 * Math.PI * 32 * at) / 512));
  const powers = [...spectrumOf(512)(sine, 0)];
  expect(powers.indexOf(Math.max(...powers))).toBe(32);
});
