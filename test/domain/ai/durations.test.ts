import { expect, test } from "bun:test";
import fc from "fast-check";
import { durationsBetween, proportionalDurations } from "../../../src/domain/ai/durations.ts";

const sumOf = (durations: readonly number[]) => durations.reduce((sum, duration) => sum + duration, 0);
const weights = fc.array(fc.double({ min: -10, max: 1e9 }), { minLength: 1, maxLength: 100 });

test("durations of any weights sum up to the total, and each is positive", () => {
  fc.assert(
    fc.property(weights, fc.double({ min: 1e-3, max: 3600, noNaN: true }), (given, total) => {
      const durations = proportionalDurations(given, total);
      expect(durations.length).toBe(given.length);
      expect(Math.abs(sumOf(durations) - total)).toBeLessThan(1e-6);
      expect(Math.min(...durations)).toBeGreaterThan(0);
    }),
  );
});

test("each duration is at least half a second if the total allows it", () => {
  fc.assert(
    fc.property(weights, fc.integer({ min: 51, max: 3600 }), (given, total) => {
      expect(Math.min(...proportionalDurations(given, total))).toBeGreaterThanOrEqual(0.489);
    }),
  );
});

test("durations are hundredths of a second, except the last one", () => {
  expect(proportionalDurations([1, 1, 1], 20)).toEqual([6.67, 6.66, 6.67]);
  expect(proportionalDurations([1, 1, 1], 10.001)).toEqual([3.33, 3.34, 3.331]);
});

test("rounding errors do not add up", () => {
  const ends = Array.from({ length: 100 }, (_, index) => (index + 1) / 3);
  const durations = durationsBetween(ends, 33.33);

  for (const [index, end] of ends.entries()) {
    expect(Math.abs(sumOf(durations.slice(0, index + 1)) - end)).toBeLessThan(0.011);
  }
  expect(Math.abs(sumOf(durations) - 33.33)).toBeLessThan(1e-6);
});
