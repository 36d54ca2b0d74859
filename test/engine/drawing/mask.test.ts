import { expect, test } from "bun:test";
import type { Canvas } from "@napi-rs/canvas";
import fc from "fast-check";
import { channelOf, maskByDrawing, maskByShape } from "../../../src/engine/drawing/mask.ts";
import { roundCorners } from "../../../src/engine/drawing/round-corners.ts";
import { anyPixel, difference, paintedOn, pixelAt, pixelsOf, rowOf } from "../../support/pixels.ts";

const side = 40;
const box = { x: 10, y: 10, width: 20, height: 20 };
const area = { x: 0, y: 0, width: 20, height: 20, radius: 0 };
const sharp = { invert: false, feather: 0 };

const redWith = (mask: (context: ReturnType<Canvas["getContext"]>) => void): Canvas =>
  paintedOn(side, side, (context) => {
    context.fillStyle = "red";
    context.fillRect(0, 0, side, side);
    mask(context);
  });

const alphaAt = (bitmap: Canvas, x: number, y: number) => pixelAt(bitmap, x, y)[3];

test("a shape in the layer's box keeps what lies inside", () => {
  const ellipse = redWith((context) => maskByShape(context, { kind: "ellipse", ...area, ...sharp }, box));
  expect([alphaAt(ellipse, 20, 20), alphaAt(ellipse, 11, 11), alphaAt(ellipse, 5, 20)]).toEqual([255, 0, 0]);
  const rect = redWith((context) => maskByShape(context, { kind: "rect", ...area, x: 5, ...sharp }, box));
  expect([alphaAt(rect, 16, 11), alphaAt(rect, 14, 11), alphaAt(rect, 34, 11)]).toEqual([255, 0, 255]);
  const path = redWith((context) => maskByShape(context, { kind: "path", d: "M0 0H10V10H0Z", ...sharp }, box));
  expect([alphaAt(path, 15, 15), alphaAt(path, 21, 15)]).toEqual([255, 0]);
});

test("shapes and drawings follow the transform of the context", () => {
  const turned = redWith((context) => {
    context.translate(20, 20);
    context.rotate(Math.PI / 4);
    maskByShape(context, { kind: "rect", ...area, ...sharp }, { ...box, x: -10, y: -10 });
  });
  expect([alphaAt(turned, 20, 8), alphaAt(turned, 11, 11)]).toEqual([255, 0]);
  const moved = redWith((context) => {
    context.translate(20, 0);
    maskByDrawing(context, { invert: false, feather: 2 }, (mask) => mask.fillRect(0, -20, 40, 80));
  });
  expect([alphaAt(moved, 35, 0), alphaAt(moved, 5, 20)]).toEqual([255, 0]);
});

const anyEdge = fc.record({ kind: fc.constantFrom("ellipse", "rect"), feather: fc.constantFrom(0, 1.5, 4) } as const);

test("a mask and its inverse keep all of a layer between them", () => {
  fc.assert(
    fc.property(anyEdge, fc.nat(30), fc.nat(30), (edge, width, height) => {
      const masked = [true, false].map((invert) =>
        redWith((context) => maskByShape(context, { ...area, ...edge, width, height, radius: 3, invert }, box)).data(),
      );
      const sums = masked[0]!.map((level, index) => level + masked[1]![index]!);
      expect(sums.every((sum, index) => Math.abs(sum - (index % 4 === 0 || index % 4 === 3 ? 255 : 0)) <= 1)).toBe(
        true,
      );
    }),
    { numRuns: 40 },
  );
});

test("feather softens the edge on both sides and not where the layer ends", () => {
  const soft = redWith((context) => maskByShape(context, { kind: "rect", ...area, invert: false, feather: 2 }, box));
  expect(Math.abs(alphaAt(soft, 10, 20) + alphaAt(soft, 9, 20) - 255)).toBeLessThanOrEqual(4);
  expect(alphaAt(soft, 7, 20)).toBeGreaterThan(0);
  const wide = { kind: "rect", x: -99, y: -99, width: 200, height: 200, radius: 0, invert: false, feather: 5 } as const;
  expect(
    alphaAt(
      redWith((context) => maskByShape(context, wide, box)),
      0,
      0,
    ),
  ).toBe(255);
});

test("an empty mask hides all, and inverted nothing", () => {
  const nothing = { kind: "path", d: "" } as const;
  expect(
    alphaAt(
      redWith((context) => maskByShape(context, { ...nothing, ...sharp }, box)),
      20,
      20,
    ),
  ).toBe(0);
  const inverted = redWith((context) => maskByShape(context, { ...nothing, feather: 0, invert: true }, box));
  expect(alphaAt(inverted, 20, 20)).toBe(255);
});

test("a picture masks by its alpha, or by its luminance times its alpha", () => {
  fc.assert(
    fc.property(fc.array(anyPixel, { minLength: 40, maxLength: 40 }), (row) => {
      const picture = rowOf(row);
      expect(channelOf(picture, "alpha")).toBe(picture);
      const pixels = pixelsOf(picture);
      for (const [index, pixel] of pixelsOf(channelOf(picture, "luma")).entries()) {
        const [red, green, blue] = pixels[index]!;
        expect(difference(pixel, [0, 0, 0, 0.2126 * red + 0.7152 * green + 0.0722 * blue])).toBeLessThanOrEqual(0.51);
      }
    }),
  );
});

test("a drawn mask multiplies the layer's alpha by its own", () => {
  const picture = rowOf([
    [0, 0, 0, 255],
    [255, 255, 255, 128],
  ]);
  const stretched = (by: "alpha" | "luma", invert: boolean) =>
    redWith((context) => {
      context.imageSmoothingEnabled = false;
      maskByDrawing(context, { invert, feather: 0 }, (mask) => {
        mask.imageSmoothingEnabled = false;
        mask.drawImage(channelOf(picture, by), 0, 0, side, side);
      });
    });
  expect([0, 39].map((x) => alphaAt(stretched("alpha", false), x, 20))).toEqual([255, 128]);
  expect([0, 39].map((x) => alphaAt(stretched("luma", false), x, 20))).toEqual([0, 128]);
  expect([0, 39].map((x) => alphaAt(stretched("luma", true), x, 20))).toEqual([255, 127]);
});

test("round corners erase all outside of the box, also with a radius that is too large", () => {
  const rounded = redWith((context) => roundCorners(context, box, 6));
  expect([alphaAt(rounded, 10, 10), alphaAt(rounded, 20, 10), alphaAt(rounded, 5, 5)]).toEqual([0, 255, 0]);
  const circle = redWith((context) => roundCorners(context, box, 1000));
  expect([alphaAt(circle, 12, 12), alphaAt(circle, 20, 11)]).toEqual([0, 255]);
  const square = redWith((context) => roundCorners(context, box, 0));
  expect([alphaAt(square, 10, 10), alphaAt(square, 9, 10)]).toEqual([255, 0]);
});
