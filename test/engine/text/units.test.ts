import { expect, test } from "bun:test";
import type { SKRSContext2D } from "@napi-rs/canvas";
import fc from "fast-check";
import { type Box, snapOutward } from "../../../src/engine/drawing/box.ts";
import { restingPose } from "../../../src/engine/motion/move-table.ts";
import type { UnitPose } from "../../../src/engine/text/units.ts";
import { black, differingShare, painted, spansDrawing, textDrawing } from "../../support/media/drawn-text.ts";

const size = { width: 900, height: 300 };
const shown = { background: 1 };

/** At rest, but drawn unit by unit. */
const apart: UnitPose = { ...restingPose, rotation: 1e-9 };

const texts = {
  "Latin with kerning": "AVATAR Wo, To. quoted",
  "Cyrillic and Greek": "Русский Ελληνικά",
  Arabic: "مرحبا بالعالم (نص) ٤٥",
  "Hebrew with Latin digits": "שלום world 45 עולם",
  Devanagari: "नमस्ते दुनिया कर्म",
  Bengali: "বাংলা ভাষা",
  Tamil: "தமிழ் மொழி",
  Thai: "สวัสดีชาวโลก น้ำ",
  Japanese: "日本語の文章です、テスト。",
  Korean: "한국어 문장",
  Khmer: "ភាសាខ្មែរ",
  Myanmar: "မြန်မာဘာသာ",
  Georgian: "ქართული Հայերեն",
  emoji: "👩‍🚀🏳️‍🌈 é́ 🎉👍🏽",
};

test.each(Object.entries(texts))("words and letters of %s lie where the whole line draws them", async (_, text) => {
  for (const letterSpacing of [0, 9]) {
    const drawing = await textDrawing(text, { style: { letterSpacing, fontSize: 40 } });
    const still = painted((context) => drawing.paint(context), size);
    for (const by of ["word", "letter"] as const) {
      const moved = painted((context) => drawing.paintUnits(context, by, () => apart, shown), size);
      expect(differingShare(still, moved)).toBeLessThan(0.002);
    }
  }
});

const scripts = ["Ab fi", "אבג", "ابت", "नम", "日本", "ไท", "👩‍🚀", "12.", "-(“,", "\n", " "];
const anyText = fc.array(fc.constantFrom(...scripts.flatMap((script) => [...script], "👍🏽")), { maxLength: 24 });
const anyStyle = fc.record({
  maxWidth: fc.constantFrom(undefined, 120),
  letterSpacing: fc.constantFrom(0, 5),
  stroke: fc.constantFrom(undefined, { color: { ...black, alpha: 0.5 }, width: 3 }),
  shadow: fc.constantFrom(undefined, { color: black, blur: 4, offsetX: 2, offsetY: 3 }),
  background: fc.constantFrom(undefined, { color: { ...black, red: 200 }, padding: 5, radius: 4 }),
});

/** The style without the fields that are undefined. */
const given = (style: object) => Object.fromEntries(Object.entries(style).filter(([, value]) => value !== undefined));

test("units contain every character but spaces once, in the order of the text", async () => {
  await fc.assert(
    fc.asyncProperty(anyText, anyStyle, async (letters, style) => {
      const text = letters.join("");
      const drawing = await textDrawing(text, { style: given(style) });
      const all = text.replaceAll(/\s/gu, "");
      for (const by of ["line", "word", "letter", "layer"] as const) {
        const units = drawing.units(by);
        expect(units.map((unit) => unit.text.replaceAll(/\s/gu, "")).join("")).toBe(all);
        expect(units.map(({ line }) => line)).toEqual(units.map(({ line }) => line).toSorted((a, b) => a - b));
      }
    }),
    { numRuns: 60 },
  );
});

test("a text whose units all rest is the still text", async () => {
  await fc.assert(
    fc.asyncProperty(anyText, anyStyle, fc.constantFrom(1, 1.5), async (letters, style, scale) => {
      const drawing = await textDrawing(letters.join(""), { style: given(style), scale });
      const still = painted((context) => drawing.paint(context), size);
      for (const by of ["layer", "line", "word", "letter"] as const) {
        const moved = painted((context) => drawing.paintUnits(context, by, () => restingPose, shown), size);
        expect(moved.data.every((value, index) => value === still.data[index])).toBe(true);
      }
    }),
    { numRuns: 30 },
  );
});

const anyPose = fc.record({
  x: fc.integer({ min: -60, max: 60 }),
  y: fc.integer({ min: -60, max: 60 }),
  scaleX: fc.constantFrom(0, 0.5, 1, -1.5),
  scaleY: fc.constantFrom(0.5, 1, 2),
  rotation: fc.integer({ min: -180, max: 180 }),
  alpha: fc.constantFrom(0, 0.5, 1),
  blur: fc.constantFrom(0, 0, 4),
});

const yellow = { red: 255, green: 255, blue: 0, alpha: 1 };

/** Every third letter has a box behind it, and a line under it. */
const styled = (letters: readonly string[]) =>
  letters.map((text, index) => (index % 3 === 0 ? { text, background: yellow, underline: true } : { text }));

function clear(context: SKRSContext2D, box: Box): void {
  const { x, y, width, height } = snapOutward(box, 1);
  context.clearRect(x, y, width, height);
}

test("nothing is painted outside of the bounds, at rest and moved", async () => {
  await fc.assert(
    fc.asyncProperty(anyText, anyStyle, fc.array(anyPose, { minLength: 3 }), async (letters, style, poses) => {
      const drawing = await spansDrawing(styled(letters), { style: given(style) });
      const still = painted((context) => {
        context.save();
        drawing.paint(context);
        context.restore();
        clear(context, drawing.bounds);
      }, size);
      expect(still.data.every((value) => value === 0)).toBe(true);
      const poseOf = (_: unknown, index: number) => poses[index % poses.length];
      const outside = painted((context) => {
        context.save();
        drawing.paintUnits(context, "letter", poseOf, shown);
        context.restore();
        clear(context, drawing.unitBounds("letter", poseOf, shown));
      }, size);
      expect(outside.data.every((value) => value === 0)).toBe(true);
    }),
    { numRuns: 40 },
  );
});

const lefts = (units: readonly { box: { x: number } }[]) => units.map(({ box }) => Math.round(box.x));

test("in right-to-left lines, units run from right to left", async () => {
  const drawing = await textDrawing("שלום עולם");
  const positions = lefts(drawing.units("letter"));
  expect(positions).toEqual(positions.toSorted((a, b) => b - a));
  expect(drawing.units("word").map(({ text, direction }) => [text, direction])).toEqual([
    ["שלום", "rtl"],
    ["עולם", "rtl"],
  ]);
});

test("a Latin word in a right-to-left line is read from left to right, at its place in the line", async () => {
  const drawing = await textDrawing("אב cd הו");
  const [first, , c, d, , last] = lefts(drawing.units("letter"));
  expect(c).toBeLessThan(d!);
  expect(d).toBeLessThan(first!);
  expect(last).toBeLessThan(c!);
});

test.each([
  ["Hello, world!", ["Hello,", "world!"]],
  ["“Well-known” (he said) – 3.5 %", ["“Well-known”", "(he", "said)", "–", "3.5", "%"]],
  ["¿Qué? $19.99", ["¿Qué?", "$19.99"]],
  ["Hi🎉 don't", ["Hi", "🎉", "don't"]],
  ["日本語です。", ["日本語", "です。"]],
  ["「日本」", ["「日本」"]],
  ["สวัสดีชาวโลก", ["สวัสดี", "ชาว", "โลก"]],
  ["مرحبا، بالعالم", ["مرحبا،", "بالعالم"]],
])("words of %s", async (text, words) => {
  expect((await textDrawing(text)).units("word").map((unit) => unit.text)).toEqual(words);
});

test.each([
  ["नमस्ते ab", ["नमस्ते", "a", "b"]],
  ["مرحبا", ["مرحبا"]],
  ["é👩‍🚀", ["é", "👩‍🚀"]],
])("letters that join stay together in %s", async (text, letters) => {
  expect((await textDrawing(text)).units("letter").map((unit) => unit.text)).toEqual(letters);
});

test("a long text moves by larger units", async () => {
  const drawing = await textDrawing("word ".repeat(400), { style: { maxWidth: 800 } });
  expect(drawing.units("letter").length).toBe(400);
});

test("a unit is moved, turned about the center of its box, and cut by a box that stays", async () => {
  const drawing = await textDrawing("H■");
  const [, block] = drawing.units("letter");
  const { x, y, width, height } = block!.box;
  const center = { x: x + width / 2, y: y + height / 2 };
  const paint = (pose: Partial<UnitPose>) =>
    painted((context) => {
      const poseOf = (_: unknown, index: number) => (index === 1 ? { ...restingPose, ...pose } : undefined);
      drawing.paintUnits(context, "letter", poseOf, shown);
    }, size);
  const alphaAt = (pose: Partial<UnitPose>, dx: number, dy: number) => paint(pose).at(center.x + dx, center.y + dy)[3];
  expect(alphaAt({}, 0, 2)).toBe(255);
  expect(alphaAt({ x: 100, y: 50 }, 0, 2)).toBe(0);
  expect(alphaAt({ x: 100, y: 50 }, 100, 52)).toBe(255);
  expect(alphaAt({ scaleX: 10, scaleY: 2 }, 60, 2)).toBe(255);
  expect(alphaAt({ scaleX: 10, rotation: 90 }, 0, 60)).toBe(255);
  expect(alphaAt({ alpha: 0.5 }, 0, 2)).toBeWithin(126, 130);
  const clip = { x: center.x, y: center.y - 200, width: 200, height: 400 };
  expect(alphaAt({ scaleX: 10, clip }, 60, 2)).toBe(255);
  expect(alphaAt({ scaleX: 10, clip }, -60, 2)).toBe(0);
  expect(alphaAt({ text: " " }, 0, 2)).toBe(0);
  expect(drawing.units("letter")[0]!.text).toBe("H");
});

test("a translucent unit does not show its stroke through its letters", async () => {
  const color = { red: 255, green: 0, blue: 0, alpha: 1 };
  const style = { fontSize: 100, fontColor: black, stroke: { color, width: 8 } };
  const drawing = await textDrawing("■■", { style });
  const pixels = painted((context) => {
    drawing.paintUnits(context, "word", () => ({ ...restingPose, alpha: 0.5 }), shown);
  }, size);
  const reds = Array.from({ length: 41 }, (_, index) => pixels.at(-40 + index * 2, 10)).filter(([, , , a]) => a > 100);
  expect(reds.some(([r]) => r < 5)).toBe(true);
  expect(reds.every(([, , , a]) => a < 140)).toBe(true);
});

test("highlights begin where their unit begins and are painted once where they overlap", async () => {
  const color = { red: 255, green: 255, blue: 0, alpha: 0.5 };
  for (const [text, side] of [
    ["abcdef", -1],
    ["אבגדהו", 1],
  ] as const) {
    const drawing = await textDrawing(text, { style: { fontSize: 60 } });
    const { box } = drawing.units("word")[0]!;
    const pixels = painted((context) => {
      const highlight = () => ({ color, share: 0.4 });
      drawing.paintUnits(context, "word", () => undefined, { background: 1, highlight });
    }, size);
    expect(pixels.at(side * box.width * 0.4, 0)[3]).toBeWithin(126, 130);
    expect(pixels.at(-side * box.width * 0.4, 0)[3]).toBe(0);
  }
});

test("a word in two spans moves as one and keeps the style of each part", async () => {
  const red = { red: 255, green: 0, blue: 0, alpha: 1 };
  const drawing = await spansDrawing([{ text: "H■" }, { text: "■ ■", color: red }], { style: { fontSize: 60 } });
  const units = drawing.units("word");
  expect(units.map(({ text }) => text)).toEqual(["H■■", "■"]);
  const pixels = painted((context) => {
    const poseOf = (_: unknown, index: number) => (index === 0 ? { ...restingPose, y: 80 } : undefined);
    drawing.paintUnits(context, "word", poseOf, shown);
  }, size);
  const colors = new Set<string>();
  for (let x = -200; x < 200; x++) {
    const [r, , , alpha] = pixels.at(x, 82);
    if (alpha === 255 && (r === 0 || r === 255)) colors.add(String(r));
  }
  expect([...colors]).toEqual(["0", "255"]);
});
