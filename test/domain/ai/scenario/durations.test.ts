import { expect, test } from "bun:test";
import fc from "fast-check";
import { lengthsBetween, lengthsInProportion } from "../../../../src/domain/ai/scenario/durations.ts";

const sumOf = (lengths: readonly number[]) => lengths.reduce((sum, length) => sum + length, 0);
const weights = fc.array(fc.double({ min: -10, max: 1e9 }), { minLength: 1, maxLength: 100 });

test("lengths in any proportion sum up to the total, and none is nothing", () => {
  fc.assert(
    fc.property(weights, fc.double({ min: 1e-3, max: 3600, noNaN: true }), (given, total) => {
      const lengths = lengthsInProportion(given, total);
      expect(lengths.length).toBe(given.length);
      expect(Math.abs(sumOf(lengths) - total)).toBeLessThan(1e-6);
      expect(Math.min(...lengths)).toBeGreaterThan(0);
    }),
  );
});

test("where there is room, no scene is shorter than half a second", () => {
  fc.assert(
    fc.property(weights, fc.integer({ min: 51, max: 3600 }), (given, total) => {
      expect(Math.min(...lengthsInProportion(given, total))).toBeGreaterThanOrEqual(0.489);
    }),
  );
});

test("lengths are hundredths of a second; the last takes what is left", () => {
  expect(lengthsInProportion([1, 1, 1], 20)).toEqual([6.67, 6.66, 6.67]);
  expect(lengthsInProportion([1, 1, 1], 10.001)).toEqual([3.33, 3.34, 3.331]);
});

test("measured boundaries are rounded once, so that no error adds up", () => {
  const ends = Array.from({ length: 100 }, (_, index) => (index + 1) / 3);
  const lengths = lengthsBetween(ends, 33.33);

  for (const [index, end] of ends.entries()) {
    expect(Math.abs(sumOf(lengths.slice(0, index + 1)) - end)).toBeLessThan(0.011);
  }
  expect(Math.abs(sumOf(lengths) - 33.33)).toBeLessThan(1e-6);
});
