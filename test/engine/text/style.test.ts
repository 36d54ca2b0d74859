import { expect, test } from "bun:test";
import type { TextStyle } from "../../../src/engine/timeline/overlay.ts";
import { black, painted, textDrawing } from "../../support/media/drawn-text.ts";

const size = { width: 700, height: 400 };
const red = { red: 255, green: 0, blue: 0, alpha: 1 };
const blue = { red: 0, green: 0, blue: 255, alpha: 1 };

const drawn = async (text: string, style: Partial<TextStyle>) => {
  const drawing = await textDrawing(text, { style });
  return { drawing, pixels: painted((context) => drawing.paint(context), size) };
};

test("a gradient lies in the box of the text and shows through its letters", async () => {
  const fill = {
    type: "linear",
    angle: 90,
    stops: [
      { at: 0, color: red },
      { at: 1, color: blue },
    ],
  } as const;
  const { drawing, pixels } = await drawn("■■■■■■■■", { fill, fontSize: 40 });
  const quarter = drawing.box.width / 4;
  const colorNear = (x: number) =>
    Array.from({ length: 30 }, (_, index) => pixels.at(x - 15 + index, 3)).find(([, , , alpha]) => alpha === 255)!;
  const [left, right] = [colorNear(-quarter), colorNear(quarter)];
  expect(left[0]).toBeWithin(160, 220);
  expect(left[2]).toBeWithin(35, 95);
  expect(right[2]).toBeWithin(160, 220);
});

test("a text in a size of its own is as large as its box allows, to half a pixel", async () => {
  const box = { maxWidth: 500, maxHeight: 200, lineHeight: 1, fontSize: 2000, minFontSize: 10 };
  const { drawing } = await drawn("Fill", box);
  expect(drawing.box.height).toBeWithin(199, 200.02);
  const wide = await drawn("Donaudampfschifffahrt", box);
  expect(wide.drawing.box.width).toBeWithin(493, 500.02);
  const lines = await drawn("some words that fill the box in several lines of text", box);
  expect(lines.drawing.box.width).toBeLessThanOrEqual(500.02);
  expect(lines.drawing.box.height).toBeWithin(150, 200.02);
});

test("a text in a size of its own keeps within its limits", async () => {
  const box = { maxWidth: 100, maxHeight: 30, lineHeight: 1 };
  const small = await drawn("a long text that needs a smaller size", { ...box, fontSize: 100, minFontSize: 20 });
  expect(small.drawing.box.height).toBeGreaterThan(60);
  expect((await drawn("x", { ...box, fontSize: 20, minFontSize: 10 })).drawing.box.height).toBe(20);
  expect((await drawn("x", { ...box, fontSize: 20, minFontSize: 40 })).drawing.box.height).toBe(20);
});

test("the stroke of a text in a size of its own keeps its width", async () => {
  const style = { maxWidth: 300, maxHeight: 60, lineHeight: 1, minFontSize: 10, stroke: { color: red, width: 10 } };
  const widthOf = async (fontSize: number) => {
    const { pixels } = await drawn("■", { ...style, fontSize });
    return Array.from({ length: 200 }, (_, x) => pixels.at(x - 100, 3)).filter(([r, , , a]) => r === 255 && a === 255)
      .length;
  };
  expect(Math.abs((await widthOf(1000)) - (await widthOf(60)))).toBeLessThanOrEqual(2);
});

test("a text without wrapping breaks where it says only, and shrinks until its widest line fits", async () => {
  const text = "a line that is much longer than its box\nshort";
  const free = await drawn(text, { maxWidth: 100, wrap: false, fontSize: 20, lineHeight: 1 });
  expect(free.drawing.box.height).toBe(40);
  expect(free.drawing.box.width).toBeGreaterThan(300);
  for (const more of [{}, { minFontSize: 1 }]) {
    const fitted = await drawn(text, {
      maxWidth: 100,
      maxHeight: 100,
      wrap: false,
      fontSize: 20,
      lineHeight: 1,
      ...more,
    });
    expect(fitted.drawing.box.width).toBeWithin(88, 100.02);
    expect(fitted.drawing.units("line").length).toBe(2);
  }
});

test("boxes behind lines are as wide as their lines, and one alpha covers all", async () => {
  const background = { color: { ...red, alpha: 0.5 }, padding: 12, radius: 0 };
  const { pixels, drawing } = await drawn("wwwwwwwwww\n\nw", {
    background,
    backgroundBy: "line",
    fontColor: { ...black, alpha: 0 },
    fontSize: 40,
  });
  const alphas = new Set(pixels.data.filter((_, index) => index % 4 === 3));
  expect(Math.max(...alphas)).toBeWithin(127, 129);
  const { x, y, width, height } = drawing.box;
  expect(pixels.at(x + 5, y + 5)[3]).toBeGreaterThan(0);
  expect(pixels.at(x + 5, y + height - 5)[3]).toBe(0);
  expect(pixels.at(x + width / 2, y + height / 2)[3]).toBe(0);
});

test("a background has its own padding for each direction", async () => {
  const background = { color: red, padding: 7, radius: 0 };
  const { drawing: plain } = await drawn("x", {});
  const { drawing } = await drawn("x", { background: { ...background, paddingX: 30 } });
  expect(drawing.box.width).toBeCloseTo(plain.box.width + 60, 5);
  expect(drawing.box.height).toBeCloseTo(plain.box.height + 14, 5);
});
