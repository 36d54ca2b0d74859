import { expect, test } from "bun:test";
import { Path2D } from "@napi-rs/canvas";
import { fillPath } from "../../../src/engine/drawing/fill.ts";
import { rectPath } from "../../../src/engine/drawing/outline.ts";
import type { Gradient } from "../../../src/engine/timeline/motion.ts";
import { parseColor } from "../../../src/platform/colors.ts";
import { difference, paintedOn, pixelAt } from "../../support/pixels.ts";

const gradient = (type: Gradient["type"], angle: number, stops: readonly (readonly [number, string])[]): Gradient => ({
  type,
  angle,
  stops: stops.map(([at, color]) => ({ at, color: parseColor(color)! })),
});

const box = { x: 0, y: 0, width: 200, height: 100 };
const paint = (fill: Gradient) => paintedOn(200, 100, (context) => fillPath(context, rectPath(box, 0), fill, box));

const blackToWhite = [
  [0, "#000"],
  [1, "#fff"],
] as const;

test.each([
  [0, (x: number, y: number) => 1 - y / 100 + 0 * x],
  [90, (x: number) => x / 200],
  [180, (_: number, y: number) => y / 100],
  // CSS: the line is as long as the box, projected on it, so that the corners have the colors of the ends
  [45, (x: number, y: number) => 0.5 + (x - 100 - (y - 50)) / 300],
])("a linear gradient of %d degrees lies as in CSS", (angle, share) => {
  const bitmap = paint(gradient("linear", angle, blackToWhite));
  for (const [x, y] of [
    [1, 1],
    [198, 1],
    [50, 70],
    [120, 98],
  ] as const) {
    expect(Math.abs(pixelAt(bitmap, x, y)[0] - 255 * share(x + 0.5, y + 0.5))).toBeLessThanOrEqual(1.5);
  }
});

test("a radial gradient is an ellipse with the proportions of the box that ends in its corners", () => {
  const bitmap = paint(gradient("radial", 0, blackToWhite));
  for (const [x, y] of [
    [100, 0],
    [0, 50],
    [0, 0],
    [150, 75],
  ] as const) {
    const share = Math.hypot((x + 0.5 - 100) / 100, (y + 0.5 - 50) / 50) / Math.SQRT2;
    expect(Math.abs(pixelAt(bitmap, x, y)[0] - 255 * share)).toBeLessThanOrEqual(1.5);
  }
});

test("a conic gradient starts at its angle from the top, clockwise", () => {
  const up = paint(gradient("conic", 0, blackToWhite));
  const right = paint(gradient("conic", 90, blackToWhite));
  expect(pixelAt(up, 100, 2)[0]).toBeLessThan(5);
  expect(pixelAt(up, 99, 2)[0]).toBeGreaterThan(250);
  expect(Math.abs(pixelAt(up, 198, 50)[0] - 64)).toBeLessThanOrEqual(1);
  expect(pixelAt(right, 198, 51)[0]).toBeLessThan(5);
});

test("colors are mixed premultiplied, as in CSS", () => {
  for (const [from, to] of [
    ["rgba(255, 0, 0, 1)", "rgba(0, 0, 255, 0)"],
    ["rgba(255, 0, 0, 1)", "rgba(0, 0, 255, 0.2)"],
    ["transparent", "white"],
  ] as const) {
    const bitmap = paint(
      gradient("linear", 90, [
        [0, from],
        [1, to],
      ]),
    );
    const [start, end] = [from, to].map((text) => {
      const { red, green, blue, alpha } = parseColor(text)!;
      return [red * alpha, green * alpha, blue * alpha, 255 * alpha];
    });
    for (let x = 0; x < 200; x += 7) {
      const share = (x + 0.5) / 200;
      const mixed = start!.map((level, channel) => level * (1 - share) + end![channel]! * share);
      expect(difference(pixelAt(bitmap, x, 50), mixed)).toBeLessThanOrEqual(2);
    }
  }
});

test("stops at one position make an edge, and those that go back lie at the one before", () => {
  const edge = paint(
    gradient("linear", 90, [
      [0, "#f00"],
      [0.5, "#f00"],
      [0.2, "rgba(0, 0, 255, 0)"],
      [1, "#00f"],
    ]),
  );
  expect(pixelAt(edge, 98, 50)).toEqual([255, 0, 0, 255]);
  expect(pixelAt(edge, 101, 50)[3]).toBeLessThan(10);
  expect(pixelAt(edge, 199, 50)[2]).toBeGreaterThan(250);
});

test("a gradient of one stop is its color", () => {
  expect(pixelAt(paint(gradient("radial", 0, [[0.5, "#123456"]])), 30, 30)).toEqual([18, 52, 86, 255]);
});

test("a stretched gradient leaves its path as it is", () => {
  const path = new Path2D("M20 20L180 35L90 95Z");
  const solid = paintedOn(200, 100, (context) => fillPath(context, path, parseColor("#fff")!, box));
  const white = gradient("radial", 0, [
    [0, "#fff"],
    [1, "#fff"],
  ]);
  const stretched = paintedOn(200, 100, (context) => fillPath(context, path, white, box)).data();
  const distance = solid.data().map((level, index) => Math.abs(level - stretched[index]!));
  expect(Math.max(...distance)).toBeLessThanOrEqual(4);
});
