import { expect, test } from "bun:test";
import { measureText } from "../../../src/engine/text/measure.ts";
import type { TextContent, TextStyle } from "../../../src/engine/timeline/overlay.ts";
import { drawOne, red, textOverlay } from "../../support/media/drawn-overlays.ts";

const background = { color: red, padding: 0, radius: 0 };
const limits = { maxWidth: 200, maxHeight: 100, background };

/** On a canvas of 320 × 240, in a box of 200 × 100 around its center. */
const drawn = (text: string, style: Partial<TextStyle> = {}, content: Partial<TextContent> = {}) => {
  const overlay = textOverlay(text, { ...limits, fontSize: 40, lineHeight: 1, ...style });
  // safe because the overlay is a text
  return drawOne({ ...overlay, content: { ...overlay.content, ...content } as TextContent });
};

test("a text that fits keeps its size", async () => {
  expect((await drawn("x")).size.height).toBe(40);
  expect((await drawn("x\nx")).size.height).toBe(80);
});

test("a text with too many lines is made smaller until they fit", async () => {
  const { size } = await drawn("one\ntwo\nthree\nfour");
  expect(size.height).toBeLessThanOrEqual(101);
  expect(size.height).toBeGreaterThan(97);
});

test("a word that is wider than the box makes the text smaller and is not broken", async () => {
  const { size } = await drawn("Donaudampfschifffahrt");
  expect(size.width).toBeLessThanOrEqual(201);
  expect(size.width).toBeGreaterThan(190);
  expect(size.height).toBeLessThan(40);
});

test("a word that would become too small is broken", async () => {
  const { size } = await drawn("Donaudampfschifffahrtsgesellschaftskapitänswitwenrentenauszahlungsstelle");
  expect(size.width).toBeLessThanOrEqual(201);
  expect(size.height).toBeGreaterThan(60);
  expect(size.height).toBeLessThanOrEqual(101);
});

test("lines of a text in a box have about the same length", async () => {
  const alone = await drawn("mmmm mmmm", { maxWidth: 1000 });
  const wrapped = await drawn("m m m m m m m", { fontSize: 36 });
  expect(alone.size.height).toBe(40);
  expect(wrapped.size.height).toBe(72);
  expect(wrapped.size.width).toBeLessThan(160);
});

test("a short text lies at the sides of the box that the style names", async () => {
  const sidesOf = async (style: Partial<TextStyle>) => {
    const { center, size } = await drawn("x", style);
    const [x, y] = [size.width / 2, size.height / 2];
    const sides = { left: center.x - x, top: center.y - y, right: center.x + x, bottom: center.y + y };
    return Object.fromEntries(Object.entries(sides).map(([side, at]) => [side, Math.round(at)]));
  };
  expect(await sidesOf({ align: "left", verticalAlign: "top" })).toMatchObject({ left: 60, top: 70 });
  expect(await sidesOf({ align: "right", verticalAlign: "bottom" })).toMatchObject({ right: 260, bottom: 170 });
});

test("the padding lies outside of the limits, and the corner anchor is that of the box", async () => {
  const style = { align: "left", verticalAlign: "top", background: { ...background, padding: 10 } } as const;
  const { center, size } = await drawn("x", style, { anchor: { at: "top_left", x: 20, y: 30 } });
  expect([center.x - size.width / 2, center.y - size.height / 2].map(Math.round)).toEqual([20, 30]);
});

test("the padding outside of the limits moves the measured ink, too", async () => {
  const style = {
    fontSize: 40,
    fontColor: red,
    fontWeight: 400,
    align: "left",
    lineHeight: 1,
    letterSpacing: 0,
  } as const;
  const inkOf = async (padding: number) => {
    const content = {
      kind: "text",
      text: "x",
      anchor: { at: "top_left", x: 20, y: 30 },
      style: { ...style, maxWidth: 200, maxHeight: 100, background: { ...background, padding } },
    } as const;
    return (await measureText(content, 0, () => Promise.reject(new Error("no project fonts")))).ink!;
  };
  const [without, padded] = [await inkOf(0), await inkOf(15)];
  expect(padded.x - without.x).toBeCloseTo(15, 5);
  expect(padded.y - without.y).toBeCloseTo(15, 5);
});
