import { expect, test } from "bun:test";
import fc from "fast-check";
import { blurBitmap, blurReach } from "../../../src/engine/drawing/blur.ts";
import { paintedOn, pixelAt } from "../../support/pixels.ts";

const anySigma = fc.double({ min: 0.05, max: 12, noNaN: true });

/** The alpha of a blurred opaque line, one pixel wide, per pixel across it; the line is at `middle`. */
function blurredLine(sigma: number): { readonly levels: readonly number[]; readonly middle: number } {
  const middle = blurReach(sigma) + 5;
  const side = 2 * middle + 1;
  const line = paintedOn(side, side, (context) => context.fillRect(middle, 0, 1, side));
  const bytes = blurBitmap(line, sigma).data();
  return { levels: Array.from({ length: side }, (_, x) => bytes[(middle * side + x) * 4 + 3]!), middle };
}

/** The standard deviation of a blur, from the slope that it makes of an edge. */
function deviationOf(sigma: number): number {
  // the edge of the bitmap is out of reach
  const reach = blurReach(sigma);
  const middle = 2 * reach;
  const side = 2 * middle;
  const edge = paintedOn(side, side, (context) => context.fillRect(0, 0, middle, side));
  const row = blurBitmap(edge, sigma)
    .data()
    .subarray(middle * side * 4, (middle + 1) * side * 4);
  const steps = Array.from({ length: side - 1 }, (_, x) => ({
    distance: x + 1 - middle,
    fall: row[x * 4 + 3]! - row[x * 4 + 7]!,
  })).filter(({ distance }) => Math.abs(distance) <= reach);
  const total = steps.reduce((sum, { fall }) => sum + fall, 0);
  return Math.sqrt(steps.reduce((sum, { distance, fall }) => sum + fall * distance ** 2, 0) / total);
}

test("a blur has its standard deviation, also a small one", () => {
  fc.assert(
    fc.property(fc.double({ min: 0.05, max: 60, noNaN: true }), (sigma) => {
      expect(Math.abs(deviationOf(sigma) - sigma)).toBeLessThanOrEqual(0.1 + 0.02 * sigma);
    }),
    { numRuns: 60 },
  );
});

test("a blur does not jump as it grows", () => {
  const peaks = Array.from({ length: 60 }, (_, step) => {
    const { levels, middle } = blurredLine(0.05 + step / 20);
    return levels[middle]!;
  });
  const jumps = peaks.slice(1).map((peak, index) => peaks[index]! - peak);
  expect(Math.max(...jumps)).toBeLessThan(25);
  expect(Math.min(...jumps)).toBeGreaterThanOrEqual(-1);
});

test("no pixel lies beyond the reach of a blur", () => {
  fc.assert(
    fc.property(anySigma, (sigma) => {
      const { levels, middle } = blurredLine(sigma);
      const far = levels.filter((_, x) => Math.abs(x - middle) > blurReach(sigma));
      expect(far.every((level) => level === 0)).toBe(true);
    }),
    { numRuns: 40 },
  );
});

test("opaque areas stay opaque, and outside of the bitmap all is transparent", () => {
  fc.assert(
    fc.property(anySigma, (sigma) => {
      const side = 2 * blurReach(sigma) + 3;
      const blurred = blurBitmap(
        paintedOn(side, side, (context) => context.fillRect(0, 0, side, side)),
        sigma,
      );
      const middle = (side - 1) / 2;
      expect(pixelAt(blurred, middle, middle)[3]).toBe(255);
      if (sigma > 1) expect(pixelAt(blurred, 0, middle)[3]).toBeLessThan(190);
    }),
    { numRuns: 40 },
  );
});

test("a blur of 0 changes nothing", () => {
  const line = paintedOn(5, 5, (context) => context.fillRect(2, 0, 1, 5));
  expect(blurBitmap(line, 0).data()).toEqual(line.data());
  expect(blurReach(0)).toBe(0);
});
