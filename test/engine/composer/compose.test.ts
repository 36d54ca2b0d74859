import { expect, test } from "bun:test";
import { arrange, beatsOf } from "../../../src/engine/composer/arrangement.ts";
import { chordOf, voiced } from "../../../src/engine/composer/chords.ts";
import { compose } from "../../../src/engine/composer/compose.ts";
import { compositionOf } from "../../../src/engine/composer/library.ts";
import { loudnessOf } from "../../../src/engine/composer/mixdown.ts";
import { frequencyOf, fromDecibels, log2, pow2, sampleRate, sine } from "../../../src/engine/composer/numbers.ts";
import { bedFile, effectFile } from "../../../src/engine/ports.ts";
import { readSounds } from "../../../src/readers/sounds/read-sounds.ts";

const library = readSounds(`${import.meta.dir}/../../../src/sounds`);
const beds = [...library.beds.values()];

function sidesOf(wav: Uint8Array) {
  const samples = new Int16Array(wav.buffer, 44);
  const side = (first: number) =>
    Float32Array.from({ length: samples.length / 2 }, (_, at) => samples[2 * at + first]! / 32_768);
  return { left: side(0), right: side(1) };
}

const make = (key: string) => compose(compositionOf(library, key)!);

test("its numbers are those of Math, without its approximations", () => {
  for (const x of [-3.7, -0.2, 0, 0.49, 1, 5.3]) {
    expect(pow2(x)).toBeCloseTo(2 ** x, 9);
    expect(sine(x)).toBeCloseTo(Math.sin(2 * Math.PI * x), 6);
    expect(fromDecibels(x)).toBeCloseTo(10 ** (x / 20), 9);
  }
  expect(log2(10)).toBeCloseTo(Math.log2(10), 9);
  expect(frequencyOf(69)).toBe(440);
});

test.each([6, 7.3, 9, 15, 20, 34.5, 60])(
  "each bed fits %d seconds: near its tempo, with an end on a bar",
  (seconds) => {
    for (const bed of beds) {
      const { tempo, beatSeconds, bars, endSeconds } = arrange(bed, seconds);
      expect(Math.abs(tempo / bed.tempo - 1)).toBeLessThanOrEqual(0.065);
      expect(endSeconds / (4 * beatSeconds)).toBeCloseTo(bars.length, 9);
      expect(seconds - endSeconds).toBeGreaterThanOrEqual(0.9);
      expect(seconds - endSeconds).toBeLessThanOrEqual(4);
      expect(beatsOf(arrange(bed, seconds))[4]).toBeCloseTo(4 * beatSeconds, 9);
      if (seconds >= 15) expect(new Set(bars)).toEqual(new Set(["intro", "main", "break", "peak"]));
    }
  },
);

test("a bed has equal bytes in each run, one loudness, room for peaks, two sides, and ends in silence", () => {
  const [bed] = beds;
  const { key, sizeBytes } = bedFile(bed!, 6);
  const wav = make(key);
  expect(wav.length).toBe(sizeBytes);
  expect(Bun.hash(make(key))).toBe(Bun.hash(wav));
  const { left, right } = sidesOf(wav);
  expect(loudnessOf({ left, right })).toBeCloseTo(-16, 0);
  expect(Math.max(...left.map(Math.abs), ...right.map(Math.abs))).toBeLessThan(0.82);
  expect(left).not.toEqual(right);
  expect(Math.max(...left.subarray(-0.05 * sampleRate).map(Math.abs))).toBeLessThan(0.01);
});

test("a key of another version names no sound", () => {
  const { key } = effectFile([...library.effects.values()][0]!);
  expect(compositionOf(library, key)).toBeDefined();
  expect(compositionOf(library, key.replace(/\/\w+\/(\d+)/, "/0000/$1"))).toBeUndefined();
  expect(compositionOf(library, "made-sounds/bed/none/0000/1.wav")).toBeUndefined();
  expect(compositionOf(library, "proj_1/media_1.wav")).toBeUndefined();
});

test("all chords of the beds are known, and their voices move little", () => {
  for (const { chords, cadence, end } of beds) {
    for (const names of [...Object.values(chords).flat(), ...cadence, end]) {
      for (const name of names.split(" ")) expect(() => chordOf(name)).not.toThrow();
    }
  }
  const first = voiced(chordOf("C"), 60);
  const next = voiced(chordOf("Am"), 60, first);
  // two tones stay
  expect(next.filter((note) => first.includes(note))).toHaveLength(2);
});

test("each effect sounds from its start on, or rises to its moment", () => {
  for (const effect of library.effects.values()) {
    const { left, right } = sidesOf(make(effectFile(effect).key));
    const loudest = left.reduce((best, value, at) => (Math.abs(value) > Math.abs(left[best]!) ? at : best), 0);
    expect(Math.max(...left.map(Math.abs), ...right.map(Math.abs))).toBeGreaterThan(0.05);
    expect(Math.abs(loudest / sampleRate - effect.lead)).toBeLessThan(0.5);
  }
});
