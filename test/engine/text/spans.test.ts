import { expect, test } from "bun:test";
import fc from "fast-check";
import { measureText } from "../../../src/engine/text/measure.ts";
import type { TextSpan } from "../../../src/engine/timeline/overlay.ts";
import { black, differingShare, painted, spansDrawing, textDrawing } from "../../support/media/drawn-text.ts";

const size = { width: 900, height: 300 };
const red = { red: 255, green: 0, blue: 0, alpha: 1 };
const yellow = { red: 255, green: 255, blue: 0, alpha: 1 };

// the canvas misplaces left-to-right words of several fonts in a right-to-left line, so these are not mixed
const scripts = [
  ["HELO ", "नमस्ते ", "日本", "สวัสดี", "12.", "\n"],
  ["HELO ", "אבג ", "مرحبا ", "12.", "\n"],
];

test("a text in spans of one style is drawn as the text, wherever they meet", async () => {
  const words = fc
    .constantFrom(...scripts)
    .chain((some) => fc.array(fc.constantFrom(...some), { minLength: 1, maxLength: 8 }));
  await fc.assert(
    fc.asyncProperty(words, fc.array(fc.nat(40), { maxLength: 4 }), async (parts, cuts) => {
      const text = parts.join("");
      const graphemes = Array.from(new Intl.Segmenter("en").segment(text), ({ segment }) => segment);
      // letters of Devanagari and other scripts that form ligatures are not cut
      const isCut = (index: number) => cuts.includes(index) && !/\p{sc=Devanagari}/u.test(graphemes[index] ?? "");
      const spans: { text: string }[] = [{ text: "" }];
      for (const [index, letter] of graphemes.entries()) {
        if (isCut(index)) spans.push({ text: "" });
        spans.at(-1)!.text += letter;
      }
      const style = { maxWidth: 250, stroke: { color: red, width: 2 } };
      const [whole, styled] = [await textDrawing(text, { style }), await spansDrawing(spans, { style })];
      expect(Math.abs(styled.box.width - whole.box.width)).toBeLessThan(2);
      expect(styled.box.height).toBe(whole.box.height);
      const [one, other] = [whole, styled].map((drawing) => painted((context) => drawing.paint(context), size));
      expect(differingShare(one!, other!)).toBeLessThan(0.05);
    }),
    { numRuns: 80 },
  );
});

const drawn = async (spans: readonly TextSpan[], style = {}) => {
  const drawing = await spansDrawing(spans, { style: { fontSize: 60, ...style } });
  return { drawing, pixels: painted((context) => drawing.paint(context), size) };
};

test("a span has its own color, and a box behind its part of the line", async () => {
  const { pixels, drawing } = await drawn([{ text: "■" }, { text: "■", color: red, background: yellow }]);
  const { width } = drawing.box;
  expect(pixels.at(-width / 4, 4)).toEqual([0, 0, 0, 255]);
  expect(pixels.at(width / 4, 4)).toEqual([255, 0, 0, 255]);
  expect(pixels.at(width / 4, -30)).toEqual([255, 255, 0, 255]);
  expect(pixels.at(-width / 4, -30)[3]).toBe(0);
});

test("letters of a translucent span are as translucent where they overlap", async () => {
  const { pixels } = await drawn([{ text: "x " }, { text: "مرحبا", color: { ...red, alpha: 0.5 } }]);
  const alphas = pixels.data.filter((_, index) => index % 4 === 3 && pixels.data[index - 3]! > 200);
  expect(Math.max(...alphas)).toBeLessThan(132);
});

test("lines under and through a span reach over its spaces", async () => {
  const plain = await drawn([{ text: "a a" }]);
  const lined = await drawn([{ text: "a a", underline: true, strike: true }]);
  const rows = (pixels: typeof plain.pixels) =>
    Array.from({ length: 100 }, (_, index) => index - 50).filter((y) => pixels.at(0, y)[3] === 255);
  expect(rows(plain.pixels)).toEqual([]);
  const under = rows(lined.pixels).filter((y) => y > 20);
  expect([under.length, rows(lined.pixels).length - under.length].every((count) => count >= 3)).toBe(true);
});

test("a line through a text is as high as it is drawn, and leaves the letters' own height", async () => {
  const boundsOf = async (strike: boolean) => (await drawn([{ text: "xxx", strike }])).drawing.bounds;
  const [plain, struck] = [await boundsOf(false), await boundsOf(true)];
  expect([struck.y, struck.height]).toEqual([plain.y, plain.height]);
});

test("the tallest span of a line decides its height, and all stand on one baseline", async () => {
  const { drawing } = await drawn([{ text: "x" }, { text: "X", fontSize: 120 }, { text: "\nx" }], { lineHeight: 1 });
  expect(drawing.box.height).toBeCloseTo(180, 5);
  const { pixels } = await drawn([{ text: "HHH" }, { text: "H", fontSize: 120 }]);
  const lowest = (from: number, to: number) => {
    let found = -200;
    for (let x = from; x < to; x++)
      for (let y = -140; y < 140; y++) if (pixels.at(x, y)[3]! > 128) found = Math.max(found, y);
    return found;
  };
  expect(Math.abs(lowest(-200, -10) - lowest(50, 200))).toBeLessThanOrEqual(1);
});

test("a line break may lie between two spans", async () => {
  const { drawing } = await drawn([{ text: "a\r" }, { text: "\nb" }, { text: "" }, { text: "\n\n" }, { text: "c" }]);
  expect(drawing.units("line").map(({ text, line }) => [text, line])).toEqual([
    ["a", 0],
    ["b", 1],
    ["c", 3],
  ]);
});

test("lines break with the widths of the spans' own fonts", async () => {
  const words = (fontSize: number) => [{ text: "one two " }, { text: "three four", fontSize }, { text: " five" }];
  const lines = async (fontSize: number) => {
    const drawing = await spansDrawing(words(fontSize), { style: { fontSize: 20, maxWidth: 200 } });
    expect(drawing.box.width).toBeLessThanOrEqual(200.01);
    return drawing.units("line").map(({ text }) => text);
  };
  expect(await lines(20)).toEqual(["one two three four", "five"]);
  expect(await lines(40)).toEqual(["one two three", "four five"]);
});

test("italic letters lean to the right", async () => {
  const middleOf = async (italic: boolean, top: number) => {
    const { pixels } = await drawn([{ text: "l", italic }], { fontSize: 100 });
    const xs = Array.from({ length: 200 }, (_, index) => index - 100).filter((x) => pixels.at(x, top)[3]! > 128);
    return (xs[0]! + xs.at(-1)!) / 2;
  };
  expect(Math.abs((await middleOf(false, -30)) - (await middleOf(false, 30)))).toBeLessThan(1);
  expect((await middleOf(true, -30)) - (await middleOf(true, 30))).toBeGreaterThan(8);
});

test("spans are measured without their backgrounds", async () => {
  const measured = (spans: readonly TextSpan[]) =>
    measureText(
      {
        kind: "text",
        text: spans.map(({ text }) => text).join(""),
        spans,
        anchor: { at: "center", x: 0, y: 0 },
        style: { fontSize: 40, fontColor: black, fontWeight: 400, align: "center", lineHeight: 1.2, letterSpacing: 0 },
      },
      0,
      () => Promise.reject(new Error("no project fonts")),
    );
  const { ink } = await measured([{ text: "x" }, { text: "x", background: yellow }]);
  expect(ink).toEqual((await measured([{ text: "x" }, { text: "x" }])).ink);
  const underlined = await measured([{ text: "x" }, { text: "x", underline: true }]);
  expect(underlined.ink!.height).toBeGreaterThan(ink!.height);
});
