import { expect, test } from "bun:test";
import fc from "fast-check";
import { filterBitmap, filterReach } from "../../../src/engine/drawing/filter.ts";
import type { Filter } from "../../../src/engine/timeline/motion.ts";
import { anyPixel, difference, type Pixel, paintedOn, pixelAt, pixelsOf, rowOf } from "../../support/pixels.ts";

type Rgb = readonly [number, number, number];

const clamp = (level: number) => Math.max(0, Math.min(1, level));
const map = ([red, green, blue]: Rgb, change: (level: number) => number): Rgb => [
  clamp(change(red)),
  clamp(change(green)),
  clamp(change(blue)),
];

const matrix =
  (rows: readonly Rgb[]) =>
  (color: Rgb): Rgb => {
    const [red, green, blue] = rows.map((row) =>
      clamp(row.reduce((sum, part, index) => sum + part * color[index]!, 0)),
    );
    return [red!, green!, blue!];
  };

const saturate = (s: number) =>
  matrix([
    [0.213 + 0.787 * s, 0.715 - 0.715 * s, 0.072 - 0.072 * s],
    [0.213 - 0.213 * s, 0.715 + 0.285 * s, 0.072 - 0.072 * s],
    [0.213 - 0.213 * s, 0.715 - 0.715 * s, 0.072 + 0.928 * s],
  ]);

function grayscale(amount: number) {
  const rest = 1 - amount;
  return matrix([
    [0.2126 + 0.7874 * rest, 0.7152 - 0.7152 * rest, 0.0722 - 0.0722 * rest],
    [0.2126 - 0.2126 * rest, 0.7152 + 0.2848 * rest, 0.0722 - 0.0722 * rest],
    [0.2126 - 0.2126 * rest, 0.7152 - 0.7152 * rest, 0.0722 + 0.9278 * rest],
  ]);
}

function sepia(amount: number) {
  const rest = 1 - amount;
  return matrix([
    [0.393 + 0.607 * rest, 0.769 - 0.769 * rest, 0.189 - 0.189 * rest],
    [0.349 - 0.349 * rest, 0.686 + 0.314 * rest, 0.168 - 0.168 * rest],
    [0.272 - 0.272 * rest, 0.534 - 0.534 * rest, 0.131 + 0.869 * rest],
  ]);
}

function hueRotate(degrees: number) {
  const [cos, sin] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
  return matrix([
    [0.213 + cos * 0.787 - sin * 0.213, 0.715 - cos * 0.715 - sin * 0.715, 0.072 - cos * 0.072 + sin * 0.928],
    [0.213 - cos * 0.213 + sin * 0.143, 0.715 + cos * 0.285 + sin * 0.14, 0.072 - cos * 0.072 - sin * 0.283],
    [0.213 - cos * 0.213 - sin * 0.787, 0.715 - cos * 0.715 + sin * 0.715, 0.072 + cos * 0.928 + sin * 0.072],
  ]);
}

/** Filter Effects 1, section 13, in the order in which the fields apply. */
const formulas: Record<string, (value: number) => (color: Rgb) => Rgb> = {
  brightness: (value) => (color) => map(color, (level) => level * value),
  contrast: (value) => (color) => map(color, (level) => level * value + 0.5 - 0.5 * value),
  saturation: saturate,
  grayscale,
  sepia,
  invert: (value) => (color) => map(color, (level) => level * (1 - 2 * value) + value),
  hue: hueRotate,
};

function expected(filter: Filter, pixel: Pixel): readonly number[] {
  const [red, green, blue, alpha] = pixel;
  if (alpha === 0) return pixel;
  const straight: Rgb = [red / alpha, green / alpha, blue / alpha];
  const changed = Object.entries(formulas).reduce((color, [field, formula]) => {
    const value = filter[field as "hue"];
    return value === undefined ? color : formula(value)(color);
  }, straight);
  return [...changed.map((level) => level * alpha), alpha];
}

const factor = fc.double({ min: 0, max: 3, noNaN: true });
const share = fc.double({ min: 0, max: 1, noNaN: true });
const values: Record<string, fc.Arbitrary<number>> = {
  brightness: factor,
  contrast: factor,
  saturation: factor,
  grayscale: share,
  sepia: share,
  invert: share,
  hue: fc.double({ min: -360, max: 360, noNaN: true }),
};

const anyRow = fc.array(anyPixel, { minLength: 50, maxLength: 50 });

test.each(Object.keys(formulas).map((field) => [field]))("%s is the formula of Filter Effects 1", (field) => {
  fc.assert(
    fc.property(values[field]!, anyRow, (value, row) => {
      const bitmap = rowOf(row);
      const filtered = pixelsOf(filterBitmap(bitmap, { [field]: value }));
      for (const [index, pixel] of pixelsOf(bitmap).entries()) {
        // colors with alpha are rounded once before and once after they are multiplied
        const tolerance = pixel[3] === 255 ? 1.01 : 2;
        expect(difference(filtered[index]!, expected({ [field]: value }, pixel))).toBeLessThanOrEqual(tolerance);
      }
    }),
    { numRuns: 50 },
  );
});

const white = rowOf([[255, 255, 255, 255]]);
const gray = rowOf([[100, 100, 100, 255]]);

test("functions apply in their order, and each clamps its colors", () => {
  expect(pixelAt(filterBitmap(white, { contrast: 0.5, brightness: 2 }), 0, 0)).toEqual([191, 191, 191, 255]);
  expect(pixelAt(filterBitmap(gray, { invert: 1, brightness: 2 }), 0, 0)).toEqual([55, 55, 55, 255]);
});

const red = { red: 255, green: 0, blue: 0, alpha: 1 };

test("tint mixes a color in after the functions, and keeps the alpha", () => {
  const translucent = rowOf([[0, 255, 255, 128]]);
  expect(pixelAt(filterBitmap(gray, { tint: { color: red, amount: 1 }, grayscale: 1 }), 0, 0)).toEqual([
    255, 0, 0, 255,
  ]);
  const half = pixelAt(filterBitmap(translucent, { tint: { color: red, amount: 0.5 } }), 0, 0);
  expect(difference(half, [64, 64, 64, 128])).toBeLessThanOrEqual(1);
  const translucentRed = { ...red, alpha: 0.5 };
  const mixed = pixelAt(filterBitmap(white, { tint: { color: translucentRed, amount: 1 } }), 0, 0);
  expect(difference(mixed, [255, 128, 128, 255])).toBeLessThanOrEqual(1);
});

test("a filter that changes nothing returns the same bitmap", () => {
  const neutral = { brightness: 1, contrast: 1, saturation: 1, grayscale: 0, sepia: 0, invert: 0, hue: 0, blur: 0 };
  expect(filterBitmap(white, { ...neutral, tint: { color: red, amount: 0 } })).toBe(white);
  expect(filterBitmap(white, {})).toBe(white);
});

test("a filter never changes the bitmap that it is given", () => {
  const bitmap = rowOf([[10, 200, 30, 255]]);
  const before = pixelAt(bitmap, 0, 0);
  filterBitmap(bitmap, { tint: { color: red, amount: 1 }, invert: 1, blur: 2 });
  filterBitmap(bitmap, { tint: { color: red, amount: 1 } });
  expect(pixelAt(bitmap, 0, 0)).toEqual(before);
});

test("a filtered bitmap can be painted on as a new one", () => {
  const filtered = filterBitmap(
    paintedOn(10, 10, (context) => context.fillRect(0, 0, 10, 10)),
    { invert: 1, blur: 1 },
  );
  const context = filtered.getContext("2d");
  context.fillStyle = "red";
  context.fillRect(0, 0, 10, 10);
  expect(pixelAt(filtered, 0, 0)).toEqual([255, 0, 0, 255]);
});

test("only blur reaches beyond the filtered pixels", () => {
  expect(filterReach({ brightness: 2, tint: { color: red, amount: 1 } })).toBe(0);
  expect(filterReach({ blur: 10 })).toBe(32);
});
