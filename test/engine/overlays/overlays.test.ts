import { describe, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { createCanvas } from "@napi-rs/canvas";
import fc from "fast-check";
import type { Animation, Overlay } from "../../../src/engine/timeline/overlay.ts";
import {
  canvas,
  type DrawnPixels,
  drawAll,
  drawInto,
  drawOne,
  imageOverlay,
  type Pixels,
  red,
  textOverlay,
  withTemporaryFolder,
} from "../../support/media/drawn-overlays.ts";

/** Draws an overlay of a red image with a green left half. */
const showImage = (box: { x: number; y: number; width: number; height: number }, rest = {}, size = [40, 20]) =>
  withTemporaryFolder(async (folder) => {
    const [width, height] = size as [number, number];
    const context = createCanvas(width, height).getContext("2d");
    context.fillStyle = "red";
    context.fillRect(0, 0, width, height);
    context.fillStyle = "lime";
    context.fillRect(0, 0, width / 2, height);
    const path = join(folder, "image.png");
    await Bun.write(path, await context.canvas.encode("png"));
    return await drawAll(imageOverlay(path, box, rest));
  });

const isEven = ({ box }: Pick<DrawnPixels, "box">) => Object.values(box).every((side) => side % 2 === 0);

describe("images", () => {
  test("stretch fills the box to its last pixel", async () => {
    const [shown] = await showImage({ x: 10, y: 20, width: 100, height: 60 });
    expect(shown!.box).toEqual({ x: 10, y: 20, width: 100, height: 60 });
    expect(shown!.settled.at(10, 20)).toEqual([0, 255, 0, 255]);
    expect(shown!.settled.at(109, 79)).toEqual([255, 0, 0, 255]);
  });

  test("contain keeps the proportions in the middle of the box", async () => {
    const [shown] = await showImage({ x: 10, y: 20, width: 100, height: 100 }, { fit: "contain" });
    expect(shown!.box).toEqual({ x: 10, y: 44, width: 100, height: 52 });
    expect(shown!.settled.at(50, 44)[3]).toBe(0);
    expect(shown!.settled.at(50, 45)[3]).toBe(255);
  });

  test("cover keeps the proportions and crops the image to the box", async () => {
    const [shown] = await showImage({ x: 10, y: 20, width: 60, height: 60 }, { fit: "cover" });
    expect(shown!.box).toEqual({ x: 10, y: 20, width: 60, height: 60 });
    expect([shown!.settled.at(10, 20), shown!.settled.at(38, 50), shown!.settled.at(69, 79)]).toEqual([
      ...[
        [0, 255, 0, 255],
        [0, 255, 0, 255],
        [255, 0, 0, 255],
      ],
    ]);
  });

  test("rotation is clockwise about the center of the box", async () => {
    const [shown] = await showImage({ x: 100, y: 100, width: 80, height: 40 }, { rotationDegrees: 90 });
    const { center, size, at } = shown!.settled;
    expect([center, size]).toEqual([
      { x: 140, y: 120 },
      { width: 40, height: 80 },
    ]);
    // the green left half is at the top
    expect(at(140, 90)).toEqual([0, 255, 0, 255]);
    expect(at(140, 150)).toEqual([255, 0, 0, 255]);
  });

  test("a rotated box keeps its center at any angle", async () => {
    for (const rotationDegrees of [-200, -7, 13, 45, 133.7, 721]) {
      const [shown] = await showImage({ x: 100, y: 100, width: 80, height: 41 }, { rotationDegrees });
      expect(Math.abs(shown!.settled.center.x - 140)).toBeLessThanOrEqual(1);
      expect(Math.abs(shown!.settled.center.y - 120.5)).toBeLessThanOrEqual(1);
      expect(isEven(shown!)).toBe(true);
    }
  });

  test("opacity becomes alpha", async () => {
    const [shown] = await showImage({ x: 0, y: 0, width: 40, height: 20 }, { opacity: 0.25 });
    expect(shown!.settled.at(5, 5)[3]).toBeWithin(63, 66);
  });

  test("an overlay is cropped to the canvas", async () => {
    const [shown] = await showImage({ x: -30, y: 230, width: 100, height: 60 });
    expect(shown!.box).toEqual({ x: 0, y: 230, width: 70, height: 10 });
  });

  test("odd boxes grow to even ones with transparent edges", async () => {
    const [shown] = await showImage({ x: 11, y: 21, width: 31, height: 9 });
    expect(shown!.box).toEqual({ x: 10, y: 20, width: 32, height: 10 });
    expect(shown!.settled.at(10, 25)[3]).toBe(0);
    expect(shown!.settled.size).toEqual({ width: 31, height: 9 });
  });

  test("boxes of a fraction of a pixel and of millions of pixels are drawn", async () => {
    const [large] = await showImage({ x: -1e6, y: -1e6, width: 2e6, height: 2e6 });
    expect(large!.box).toEqual({ x: 0, y: 0, ...canvas });
    expect((await showImage({ x: 10, y: 10, width: 0.3, height: 0.3 })).length).toBeLessThanOrEqual(1);
  });

  test("a file that is not an image throws source_unreadable", () =>
    withTemporaryFolder(async (folder) => {
      await Bun.write(join(folder, "x.png"), "no image");
      const overlay = imageOverlay(join(folder, "x.png"), { x: 0, y: 0, width: 10, height: 10 });
      await expect(drawOne(overlay)).rejects.toMatchObject({ code: "source_unreadable" });
    }));
});

describe("drawing several overlays", () => {
  test("invisible overlays are left out, and the others keep their order", async () => {
    const outside = { anchor: { at: "center", x: -500, y: 120 } } as const;
    const text = textOverlay("x");
    const drawn = await drawAll(
      textOverlay("first"),
      textOverlay(""),
      { ...text, opacity: 0 },
      { ...text, content: { ...text.content, ...outside } as typeof text.content },
      textOverlay("second", {}, { range: { start: 5, end: 9 } }),
    );
    expect(drawn.map(({ range }) => range)).toEqual([
      { start: 0, end: 60 },
      { start: 5, end: 9 },
    ]);
  });

  test("equal overlays at different times share their files", () =>
    withTemporaryFolder(async (folder) => {
      const overlays = [0, 10, 20].map((start) => textOverlay("Same", {}, { range: { start, end: start + 5 } }));
      const drawn = await drawInto(folder, [...overlays, textOverlay("Other")]);
      expect(new Set(drawn.map(({ files }) => JSON.stringify(files))).size).toBe(2);
      expect((await readdir(folder)).length).toBe(2);
    }));

  test("an abort stops the drawing", () =>
    withTemporaryFolder(async (folder) => {
      const drawing = drawInto(folder, [textOverlay("x")], AbortSignal.abort());
      await expect(drawing).rejects.toMatchObject({ name: "AbortError" });
    }));
});

const anyColor = fc.record({
  red: fc.nat(255),
  green: fc.nat(255),
  blue: fc.nat(255),
  alpha: fc.constantFrom(0, 0.4, 1),
});

const anyStyle = fc.record({
  fontSize: fc.integer({ min: 1, max: 300 }),
  fontColor: anyColor,
  fontWeight: fc.integer({ min: 1, max: 1000 }),
  align: fc.constantFrom("left" as const, "center" as const, "right" as const),
  maxWidth: fc.option(fc.nat(400), { nil: undefined }),
  lineHeight: fc.integer({ min: 1, max: 30 }).map((tenths) => tenths / 10),
  letterSpacing: fc.integer({ min: -50, max: 100 }),
  stroke: fc.option(fc.record({ color: anyColor, width: fc.nat(40) }), { nil: undefined }),
  background: fc.option(fc.record({ color: anyColor, padding: fc.nat(50), radius: fc.nat(99) }), { nil: undefined }),
});

const anyWord = fc.constantFrom(
  "reel",
  "مرحبا",
  "日本語",
  "नमस्ते",
  "😀",
  "🏳️‍🌈",
  " ",
  "\n",
  "\t",
  "\u202E",
  "\u0301",
  "สวัสดี",
);
const anyText = fc.oneof(
  fc.array(anyWord, { maxLength: 20 }).map((words) => words.join("")),
  fc.string({ unit: "binary" }),
);
const anyMove = fc.constantFrom<Animation[]>("none", "fade", "slideup", "slidedown", "pop");

const anyOverlay = fc
  .record({
    text: anyText,
    style: anyStyle,
    turn: fc.integer(),
    frames: fc.integer({ min: 1, max: 8 }),
    in: anyMove,
    out: anyMove,
  })
  .map(({ text, style, turn, frames, ...moves }) => {
    const range = { start: 7, end: 7 + frames };
    return textOverlay(text, style, { range, rotationDegrees: turn, animateIn: moves.in, animateOut: moves.out });
  });

test("a text in any style has an even box inside the canvas, and no more bitmaps than frames", async () => {
  const property = fc.asyncProperty(anyOverlay, async (overlay) => {
    for (const shown of await withTemporaryFolder((folder) => drawInto(folder, [overlay]))) {
      const { box, starts, range } = shown;
      expect(isEven(shown)).toBe(true);
      expect(Math.min(box.x, box.y, canvas.width - box.x - box.width, canvas.height - box.y - box.height)).toBeWithin(
        0,
        240,
      );
      expect(starts.length).toBeLessThanOrEqual(range.end - range.start);
    }
  });
  await fc.assert(property, { numRuns: 20 });
});

describe("animation", () => {
  const animated = async (animateIn: Animation, animateOut: Animation, frames = 60): Promise<DrawnPixels> => {
    const range = { start: 100, end: 100 + frames };
    const [shown] = await drawAll(
      textOverlay("Move", { background: { color: red, padding: 4, radius: 0 } }, { range, animateIn, animateOut }),
    );
    return shown!;
  };
  const opacity = ({ at }: Pixels) => at(160, 120)[3]!;
  const isIncreasing = (values: number[]) => values.every((value, index) => index === 0 || value > values[index - 1]!);

  test("it takes 0.3 seconds at each end; at rest the bitmap equals that of a still overlay", async () => {
    const shown = await animated("pop", "fade");
    expect(shown.starts).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 51, 52, 53, 54, 55, 56, 57, 58, 59]);
    const still = await animated("none", "none");
    expect(still.starts).toEqual([0]);
    expect(shown.settled.data).toEqual(still.settled.data);
  });

  test.each([
    [1, 1],
    [2, 2],
    [3, 3],
    [10, 10],
    [18, 18],
    [19, 19],
    [20, 19],
  ])("of %i frames, %i show another bitmap than the one before", async (frames, bitmaps) => {
    const { starts } = await animated("fade", "fade", frames);
    expect([starts.length, starts[0], starts.at(-1)]).toEqual([bitmaps, 0, frames - 1]);
  });

  test("a fade has even steps: frame k of N has alpha (k + 0.5) / N", async () => {
    const { frames } = await animated("fade", "fade");
    const steps = Array.from({ length: 9 }, (_, k) => Math.round((255 * (k + 0.5)) / 9));
    const expected = [...steps, 255, ...steps.toReversed()];
    for (const [index, frame] of frames.entries()) {
      expect(Math.abs(opacity(frame) - expected[index]!)).toBeLessThanOrEqual(1);
    }
  });

  test("slideup enters from below and leaves upwards", async () => {
    const { frames, box } = await animated("slideup", "slideup");
    const heights = frames.map(({ center }) => -center.y);
    expect(isIncreasing([heights[0]!, heights[4]!, heights[9]!, heights[14]!, heights[18]!])).toBe(true);
    expect(heights[9]! - heights[0]!).toBeGreaterThan(5);
    expect(box.height % 2).toBe(0);
  });

  test("a slide is fully opaque while it still moves", async () => {
    const { frames } = await animated("slideup", "none");
    expect(opacity(frames[0]!)).toBeLessThan(40);
    expect(opacity(frames[4]!)).toBeGreaterThan(250);
    expect(frames[4]!.center.y).toBeGreaterThan(frames[8]!.center.y);
  });

  test("slidedown enters from above and leaves downwards", async () => {
    const { frames } = await animated("slidedown", "slidedown");
    const depths = [0, 4, 9, 14, 18].map((index) => frames[index]!.center.y);
    expect(isIncreasing(depths)).toBe(true);
  });

  test("pop grows from four fifths of its size, overshoots and settles, about its center", async () => {
    const { frames } = await animated("pop", "none");
    const widths = frames.map(({ size }) => size.width);
    const restWidth = widths.at(-1)!;
    expect(widths[0]! / restWidth).toBeWithin(0.8, 0.92);
    expect(Math.max(...widths)).toBeGreaterThan(restWidth);
    expect(isIncreasing(frames.slice(0, 5).map(opacity))).toBe(true);
    for (const { center } of frames) expect(Math.abs(center.x - 160)).toBeLessThanOrEqual(1);
  });

  test("a text that slides in is drawn beyond the edge of the canvas too", async () => {
    const { content } = textOverlay("■■", { fontSize: 100 });
    const atEdge = { ...content, anchor: { at: "center", x: 160, y: 240 } } as typeof content;
    const [shown] = await drawAll(textOverlay("", {}, { content: atEdge, animateOut: "slideup" }));
    const last = shown!.frames.at(-1)!;
    const bottom = Array.from({ length: 320 }, (_, x) => last.at(x, 239)[3]!);
    expect(Math.max(...bottom)).toBeGreaterThan(0);
    expect(last.size.height).toBeGreaterThan(shown!.settled.size.height);
  });

  test("a rotated text slides vertically", async () => {
    const rotated = { rotationDegrees: 90, animateIn: "slideup" } as const;
    const [shown] = await drawAll(textOverlay("Turned", {}, rotated));
    expect(shown!.frames[0]!.center.x).toBeCloseTo(shown!.settled.center.x, 0);
    expect(shown!.frames[0]!.center.y).toBeGreaterThan(shown!.settled.center.y);
  });
});

describe("an overlay with a `within` box", () => {
  const within = { x: 40, y: 30, width: 200, height: 150 };

  test("does not change if it lies inside the box", async () => {
    const box = { x: 100, y: 100, width: 40, height: 20 };
    const [free] = await showImage(box);
    const [constrained] = await showImage(box, { within });
    expect([constrained!.box, constrained!.settled.data]).toEqual([free!.box, free!.settled.data]);
  });

  test("moves into the box at its full size", async () => {
    const [shown] = await showImage({ x: 300, y: -50, width: 40, height: 20 }, { within });
    expect(shown!.box).toEqual({ x: 200, y: 30, width: 40, height: 20 });
  });

  test("shrinks if it is larger than the box", async () => {
    const [shown] = await showImage({ x: 0, y: 0, width: 400, height: 100 }, { within });
    expect(shown!.settled.size).toEqual({ width: 200, height: 50 });
    expect(shown!.settled.center.x).toBe(140);
  });

  test("fits the box after rotation", async () => {
    const [shown] = await showImage({ x: 0, y: 0, width: 200, height: 20 }, { within, rotationDegrees: 90 });
    const { size, center } = shown!.settled;
    expect([Math.abs(size.width - 15) <= 1, size.height, center.y]).toEqual([true, 150, 105]);
  });

  test("fits with the layout box of its text, including padding", async () => {
    const title = textOverlay(
      "A long line of words",
      { background: { color: red, padding: 10, radius: 0 }, fontSize: 60 },
      { within },
    );
    const { size, center } = await drawOne(title);
    expect([size.width <= 200, Math.abs(center.x - 140) <= 1]).toEqual([true, true]);
  });
});

test("a text at scale 0.5 is the same drawing at half its size", async () => {
  const style = {
    stroke: { color: red, width: 4 },
    shadow: { color: red, blur: 6, offsetX: 10, offsetY: 10 },
    background: { color: { ...red, alpha: 0.5 }, padding: 10, radius: 6 },
  };
  const title = textOverlay("Half as large", { ...style, fontSize: 40, maxWidth: 160 }, { rotationDegrees: 20 });
  const { content } = title;
  const large = await drawOne(title);
  const small = await drawOne({ ...title, content: { ...content, scale: 0.5 } as Overlay["content"] });
  expect(Math.abs(small.size.width - large.size.width / 2)).toBeLessThanOrEqual(2);
  expect(Math.abs(small.size.height - large.size.height / 2)).toBeLessThanOrEqual(2);
  expect(Math.abs(small.ink / (large.ink / 4) - 1)).toBeLessThan(0.03);
});
