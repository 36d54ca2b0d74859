import { expect, test } from "bun:test";
import fc from "fast-check";
import { type Drawing, renderDrawing } from "../../../src/engine/drawing/drawing.ts";
import { drawShape } from "../../../src/engine/drawing/shape.ts";
import { lineCaps, lineJoins, type ShapeContent, shapeKinds } from "../../../src/engine/timeline/overlay.ts";
import { paintedOn, pixelAt } from "../../support/pixels.ts";

const blue = { red: 0, green: 0, blue: 255, alpha: 1 };
const red = { red: 255, green: 0, blue: 0, alpha: 1 };
const stroke = { color: red, width: 4, cap: "butt", join: "miter" } as const;
const box = { x: 10, y: 10, width: 40, height: 20 };

const shapeOf = (fields: Partial<ShapeContent>): ShapeContent => ({ kind: "shape", shape: "rect", box, ...fields });

/** Paints a shape on 60 × 40 pixels. */
const paint = (shape: ShapeContent) =>
  paintedOn(60, 40, (context) => {
    const drawing = drawShape(shape);
    context.translate(drawing?.center.x ?? 0, drawing?.center.y ?? 0);
    drawing?.paint(context);
  });

const share = fc.double({ min: 0, max: 1, noNaN: true });
const coordinate = fc.double({ min: -20, max: 80, noNaN: true });
const curves = fc
  .array(fc.tuple(coordinate, coordinate, coordinate, coordinate), { minLength: 1, maxLength: 6 })
  .map((points) => points.map((numbers, index) => `${index === 0 ? "M0 0" : ""}Q${numbers.join(" ")}`).join(""));

const anyShape: fc.Arbitrary<ShapeContent> = fc.record({
  kind: fc.constant("shape" as const),
  shape: fc.constantFrom(...shapeKinds),
  box: fc.record({ x: coordinate, y: coordinate, width: fc.nat(60), height: fc.nat(60) }),
  sides: fc.integer({ min: 3, max: 9 }),
  points: fc.integer({ min: 2, max: 9 }),
  inner: share,
  d: curves,
  radius: fc.nat(40),
  fill: fc.constant(blue),
  stroke: fc.record({
    color: fc.constant(red),
    width: fc.integer({ min: 1, max: 20 }),
    dash: fc.constantFrom([], [5, 3]),
    cap: fc.constantFrom(...lineCaps),
    join: fc.constantFrom(...lineJoins),
  }),
  trim: fc.record({ start: share, end: share, offset: fc.double({ min: -2, max: 2, noNaN: true }) }),
});

test("the bounds of a shape contain all of its pixels", () => {
  fc.assert(
    fc.property(anyShape, (shape) => {
      const drawing = drawShape(shape);
      if (!drawing) return;
      const everywhere: Drawing = { ...drawing, bounds: { x: -200, y: -200, width: 400, height: 400 } };
      const limits = { x: -300, y: -300, width: 600, height: 600 };
      const painted = renderDrawing(everywhere, 0, limits)?.box;
      if (!painted) return;
      const { center, bounds } = drawing;
      expect(painted.x).toBeGreaterThanOrEqual(Math.floor(center.x + bounds.x));
      expect(painted.y).toBeGreaterThanOrEqual(Math.floor(center.y + bounds.y));
      expect(painted.x + painted.width).toBeLessThanOrEqual(Math.ceil(center.x + bounds.x + bounds.width));
      expect(painted.y + painted.height).toBeLessThanOrEqual(Math.ceil(center.y + bounds.y + bounds.height));
    }),
    { numRuns: 300 },
  );
});

test("a trim of the whole outline equals none, at any offset", () => {
  fc.assert(
    fc.property(anyShape, share, ({ trim: _, ...shape }, offset) => {
      expect(paint({ ...shape, trim: { start: 0, end: 1, offset } }).data()).toEqual(paint(shape).data());
    }),
    { numRuns: 50 },
  );
});

test("a trim of nothing has no pixels", () => {
  expect(drawShape(shapeOf({ fill: blue, stroke, trim: { start: 0.4, end: 0.4, offset: 0 } }))).toBeUndefined();
});

test("trim shows a part of the stroke by its length, and offset moves it on past the start", () => {
  const line = shapeOf({ shape: "line", box: { ...box, height: 0 }, stroke });
  const visible = (trim: ShapeContent["trim"]) => {
    const bitmap = paint({ ...line, ...(trim && { trim }) });
    return [12, 22, 32, 42].map((x) => pixelAt(bitmap, x, 10)[3] > 0);
  };
  expect(visible({ start: 0, end: 0.5, offset: 0 })).toEqual([true, true, false, false]);
  expect(visible({ start: 0, end: 0.5, offset: 0.25 })).toEqual([false, true, true, false]);
  expect(visible({ start: 0, end: 0.5, offset: 0.75 })).toEqual([true, false, false, true]);
  expect(visible({ start: 0.5, end: 0, offset: -1 })).toEqual([true, true, false, false]);
});

test("beside a stroke, a trimmed fill is as opaque as the visible share; alone, it is the trimmed outline", () => {
  const trim = { start: 0, end: 0.5, offset: 0 };
  const both = paint(shapeOf({ fill: blue, stroke, trim }));
  expect(pixelAt(both, 20, 25)).toEqual([0, 0, 128, 128]);
  const alone = paint(shapeOf({ fill: blue, trim }));
  expect(pixelAt(alone, 45, 15)).toEqual([0, 0, 255, 255]);
  expect(pixelAt(alone, 15, 25)).toEqual([0, 0, 0, 0]);
});

test("a dash leaves gaps", () => {
  const dashed = paint(shapeOf({ stroke: { ...stroke, dash: [10, 10] } }));
  expect([12, 25, 35, 45].map((x) => pixelAt(dashed, x, 10)[3] > 0)).toEqual([true, false, true, false]);
});

test("a stroke with more dashes than can be drawn in time is solid", () => {
  const turns = Array.from({ length: 2000 }, (_, turn) => `L${turn % 2 === 0 ? 4000 : 0} 0`).join("");
  const drawn = paint(shapeOf({ shape: "path", d: `M0 0${turns}`, stroke: { ...stroke, dash: [10, 10] } }));
  expect([12, 25, 35, 45].map((x) => pixelAt(drawn, x, 10)[3])).toEqual([255, 255, 255, 255]);
});

test("a line runs from the top left to the bottom right corner, and along a box without height", () => {
  const diagonal = paint(shapeOf({ shape: "line", stroke }));
  expect(pixelAt(diagonal, 30, 20)[0]).toBe(255);
  expect(pixelAt(diagonal, 45, 12)[3]).toBe(0);
  const horizontal = paint(shapeOf({ shape: "line", box: { ...box, height: 0 }, stroke }));
  expect(pixelAt(horizontal, 30, 8)).toEqual([255, 0, 0, 255]);
  expect(pixelAt(horizontal, 30, 12)[3]).toBe(0);
});

test("the first corner of a polygon and of a star is at the top of the box", () => {
  for (const shape of ["polygon", "star"] as const) {
    const bitmap = paint(shapeOf({ shape, sides: 3, points: 3, inner: 0.3, fill: blue }));
    expect(pixelAt(bitmap, 30, 12)[3]).toBeGreaterThan(0);
    expect(pixelAt(bitmap, 12, 12)[3]).toBe(0);
  }
});

test("path data is in pixels from the box's top left, or in coordinates of a view box that is stretched to the box", () => {
  const d = "M0 0H5V5H0Z";
  const plain = paint(shapeOf({ shape: "path", d, fill: blue }));
  expect([pixelAt(plain, 12, 12)[3], pixelAt(plain, 16, 12)[3]]).toEqual([255, 0]);
  const stretched = paint(shapeOf({ shape: "path", d, viewBox: [0, 0, 10, 10], fill: blue }));
  expect([pixelAt(stretched, 29, 19)[3], pixelAt(stretched, 31, 19)[3], pixelAt(stretched, 29, 21)[3]]).toEqual([
    255, 0, 0,
  ]);
});

test.each([
  ["neither fill nor stroke", {}],
  ["no size", { box: { x: 0, y: 0, width: 0, height: 0 }, fill: blue }],
  ["no path", { shape: "path", fill: blue }],
  ["path data that is none", { shape: "path", d: "nonsense", fill: blue }],
  ["endless coordinates", { shape: "path", d: "M0 0L1e39 1e39", stroke }],
] as const)("a shape with %s is not drawn", (_, fields) => {
  expect(drawShape(shapeOf(fields))).toBeUndefined();
});
