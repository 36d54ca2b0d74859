import { describe, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { createCanvas } from "@napi-rs/canvas";
import fc from "fast-check";
import { drawOverlays } from "../../../src/media/overlays/overlays.ts";
import type { Animation, Overlay } from "../../../src/timeline/overlay.ts";
import {
  canvas,
  type DrawnPixels,
  drawAll,
  drawOne,
  imageOverlay,
  type Pixels,
  red,
  textOverlay,
  withTemporaryFolder,
} from "../../helpers/drawn-overlays.ts";

/** Writes a red picture with a green left half, and shows it. */
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

const isEven = ({ box }: DrawnPixels) => Object.values(box).every((side) => side % 2 === 0);

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

  test("rotation is clockwise about the box's centre", async () => {
    const [shown] = await showImage({ x: 100, y: 100, width: 80, height: 40 }, { rotationDegrees: 90 });
    const { center, size, at } = shown!.settled;
    expect([center, size]).toEqual([
      { x: 140, y: 120 },
      { width: 40, height: 80 },
    ]);
    // the green left half has come to the top
    expect(at(140, 90)).toEqual([0, 255, 0, 255]);
    expect(at(140, 150)).toEqual([255, 0, 0, 255]);
  });

  test("a turned box holds its centre at any angle", async () => {
    for (const rotationDegrees of [-200, -7, 13, 45, 133.7, 721]) {
      const [shown] = await showImage({ x: 100, y: 100, width: 80, height: 41 }, { rotationDegrees });
      expect(Math.abs(shown!.settled.center.x - 140)).toBeLessThanOrEqual(1);
      expect(Math.abs(shown!.settled.center.y - 120.5)).toBeLessThanOrEqual(1);
      expect(isEven(shown!)).toBe(true);
    }
  });

  test("opacity lies in the alpha", async () => {
    const [shown] = await showImage({ x: 0, y: 0, width: 40, height: 20 }, { opacity: 0.25 });
    expect(shown!.settled.at(5, 5)[3]).toBeWithin(63, 66);
  });

  test("what lies outside of the canvas is cut off", async () => {
    const [shown] = await showImage({ x: -30, y: 230, width: 100, height: 60 });
    expect(shown!.box).toEqual({ x: 0, y: 230, width: 70, height: 10 });
  });

  test("odd boxes grow to even ones, with clear edges", async () => {
    const [shown] = await showImage({ x: 11, y: 21, width: 31, height: 9 });
    expect(shown!.box).toEqual({ x: 10, y: 20, width: 32, height: 10 });
    expect(shown!.settled.at(10, 25)[3]).toBe(0);
    expect(shown!.settled.size).toEqual({ width: 31, height: 9 });
  });

  test("a box of a fraction of a pixel, or of millions of them, is drawn", async () => {
    const [large] = await showImage({ x: -1e6, y: -1e6, width: 2e6, height: 2e6 });
    expect(large!.box).toEqual({ x: 0, y: 0, ...canvas });
    expect((await showImage({ x: 10, y: 10, width: 0.3, height: 0.3 })).length).toBeLessThanOrEqual(1);
  });

  test("a file that is no image is told as such", () =>
    withTemporaryFolder(async (folder) => {
      await Bun.write(join(folder, "x.png"), "no image");
      const overlay = imageOverlay(join(folder, "x.png"), { x: 0, y: 0, width: 10, height: 10 });
      await expect(drawOne(overlay)).rejects.toMatchObject({ code: "source_unreadable" });
    }));
});

describe("which overlays are drawn", () => {
  test("those that show nothing are left out, and the others keep their order", async () => {
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

  test("equal pictures at different times share their files", () =>
    withTemporaryFolder(async (folder) => {
      const overlays = [0, 10, 20].map((start) => textOverlay("Same", {}, { range: { start, end: start + 5 } }));
      const options = { canvas, rate: { num: 30, den: 1 }, folder, localPathOf: async () => "" };
      const drawn = await drawOverlays([...overlays, textOverlay("Other")], options);
      expect(new Set(drawn.map(({ pattern }) => pattern)).size).toBe(2);
      expect((await readdir(folder)).length).toBe(2);
    }));

  test("an abort stops the drawing", () =>
    withTemporaryFolder(async (folder) => {
      const options = {
        canvas,
        rate: { num: 30, den: 1 },
        folder,
        localPathOf: async () => "",
        signal: AbortSignal.abort(),
      };
      await expect(drawOverlays([textOverlay("x")], options)).rejects.toMatchObject({ name: "AbortError" });
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

test("any text in any style lies in an even box inside the canvas, in no more frames than it has", async () => {
  const property = fc.asyncProperty(anyOverlay, async (overlay) => {
    for (const shown of await drawAll(overlay)) {
      const { box, intro, outro, range } = shown;
      expect(isEven(shown)).toBe(true);
      expect(Math.min(box.x, box.y, canvas.width - box.x - box.width, canvas.height - box.y - box.height)).toBeWithin(
        0,
        240,
      );
      expect(intro + 1 + outro).toBeLessThanOrEqual(range.end - range.start);
    }
  });
  await fc.assert(property, { numRuns: 50 });
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
  const rises = (values: number[]) => values.every((value, index) => index === 0 || value > values[index - 1]!);

  test("it takes 0.3 seconds at each end, and the held picture is the one of a still overlay", async () => {
    const shown = await animated("pop", "fade");
    expect([shown.intro, shown.outro]).toEqual([9, 9]);
    const still = await animated("none", "none");
    expect([still.intro, still.outro, still.frames.length]).toEqual([0, 0, 1]);
    expect(shown.settled.data).toEqual(still.settled.data);
  });

  test.each([
    [1, 0, 0],
    [2, 1, 0],
    [3, 1, 1],
    [10, 5, 4],
    [18, 9, 8],
    [19, 9, 9],
  ])("of %i frames %i arrive, %i leave and at least one rests", async (frames, intro, outro) => {
    expect(await animated("fade", "fade", frames)).toMatchObject({ intro, outro });
  });

  test("a fade goes in even steps, the k-th of N at (k + 0.5) / N", async () => {
    const { frames } = await animated("fade", "fade");
    const steps = Array.from({ length: 9 }, (_, k) => Math.round((255 * (k + 0.5)) / 9));
    const expected = [...steps, 255, ...steps.toReversed()];
    for (const [index, frame] of frames.entries()) {
      expect(Math.abs(opacity(frame) - expected[index]!)).toBeLessThanOrEqual(1);
    }
  });

  test("slideup comes from below and leaves upwards", async () => {
    const { frames, box } = await animated("slideup", "slideup");
    const heights = frames.map(({ center }) => -center.y);
    expect(rises([heights[0]!, heights[4]!, heights[9]!, heights[14]!, heights[18]!])).toBe(true);
    expect(heights[9]! - heights[0]!).toBeGreaterThan(5);
    expect(box.height % 2).toBe(0);
  });

  test("a slide is seen in full while it still moves", async () => {
    const { frames } = await animated("slideup", "none");
    expect(opacity(frames[0]!)).toBeLessThan(40);
    expect(opacity(frames[4]!)).toBeGreaterThan(250);
    expect(frames[4]!.center.y).toBeGreaterThan(frames[8]!.center.y);
  });

  test("slidedown comes from above and leaves downwards", async () => {
    const { frames } = await animated("slidedown", "slidedown");
    const depths = [0, 4, 9, 14, 18].map((index) => frames[index]!.center.y);
    expect(rises(depths)).toBe(true);
  });

  test("pop grows from four fifths past its size about its centre, and back", async () => {
    const { frames } = await animated("pop", "none");
    const widths = frames.map(({ size }) => size.width);
    const held = widths.at(-1)!;
    expect(widths[0]! / held).toBeWithin(0.8, 0.92);
    expect(Math.max(...widths)).toBeGreaterThan(held);
    expect(rises(frames.slice(0, 5).map(opacity))).toBe(true);
    for (const { center } of frames) expect(Math.abs(center.x - 160)).toBeLessThanOrEqual(1);
  });

  test("a text that slides in from the edge was drawn beyond it", async () => {
    const { content } = textOverlay("■■", { fontSize: 100 });
    const atEdge = { ...content, anchor: { at: "center", x: 160, y: 240 } } as typeof content;
    const [shown] = await drawAll(textOverlay("", {}, { content: atEdge, animateOut: "slideup" }));
    const last = shown!.frames.at(-1)!;
    const bottom = Array.from({ length: 320 }, (_, x) => last.at(x, 239)[3]!);
    expect(Math.max(...bottom)).toBeGreaterThan(0);
    expect(last.size.height).toBeGreaterThan(shown!.settled.size.height);
  });

  test("a turned text moves as it stands", async () => {
    const turned = { rotationDegrees: 90, animateIn: "slideup" } as const;
    const [shown] = await drawAll(textOverlay("Turned", {}, turned));
    expect(shown!.frames[0]!.center.x).toBeCloseTo(shown!.settled.center.x, 0);
    expect(shown!.frames[0]!.center.y).toBeGreaterThan(shown!.settled.center.y);
  });
});

describe("an overlay that must lie within a box", () => {
  const within = { x: 40, y: 30, width: 200, height: 150 };

  test("stays where it is when it does", async () => {
    const box = { x: 100, y: 100, width: 40, height: 20 };
    const [free] = await showImage(box);
    const [kept] = await showImage(box, { within });
    expect([kept!.box, kept!.settled.data]).toEqual([free!.box, free!.settled.data]);
  });

  test("is moved as far as it must, whole as it is", async () => {
    const [shown] = await showImage({ x: 300, y: -50, width: 40, height: 20 }, { within });
    expect(shown!.box).toEqual({ x: 200, y: 30, width: 40, height: 20 });
  });

  test("is made smaller when it is larger", async () => {
    const [shown] = await showImage({ x: 0, y: 0, width: 400, height: 100 }, { within });
    expect(shown!.settled.size).toEqual({ width: 200, height: 50 });
    expect(shown!.settled.center.x).toBe(140);
  });

  test("lies within as it is turned", async () => {
    const [shown] = await showImage({ x: 0, y: 0, width: 200, height: 20 }, { within, rotationDegrees: 90 });
    const { size, center } = shown!.settled;
    expect([Math.abs(size.width - 15) <= 1, size.height, center.y]).toEqual([true, 150, 105]);
  });

  test("is measured by its text's box", async () => {
    const title = textOverlay(
      "A long line of words",
      { background: { color: red, padding: 10, radius: 0 }, fontSize: 60 },
      { within },
    );
    const { size, center } = await drawOne(title);
    expect([size.width <= 200, Math.abs(center.x - 140) <= 1]).toEqual([true, true]);
  });
});

test("a text painted half as large is the same picture at half its size", async () => {
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
