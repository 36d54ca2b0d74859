import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { overlappingTexts } from "../../../../../src/domain/exports/request/validation/frame-warnings.ts";
import type { VisibleText } from "../../../../../src/domain/exports/request/validation/target-layouts.ts";
import { frameTextRules, textRules } from "../../../../../src/domain/exports/request/validation/text-warnings.ts";
import type { Overlay, TextContent, TextStyle } from "../../../../../src/engine/timeline/overlay.ts";
import { parseColor } from "../../../../../src/platform/colors.ts";
import { textOverlay } from "../../../../support/media/drawn-overlays.ts";

const canvas = { width: 1080, height: 1920 };
const color = (text: string) => parseColor(text)!;

const visible = (text: Partial<VisibleText>, style: Partial<TextStyle> = {}): VisibleText => {
  const overlay: Overlay = textOverlay("Reel", style);
  const content = overlay.content as TextContent;
  return { path: "texts.0", overlay, content, ink: { x: 300, y: 900, width: 400, height: 60 }, missing: [], ...text };
};

const rules = { ...textRules, ...frameTextRules };

const warnings = (rule: keyof typeof rules, text: VisibleText, on = canvas) =>
  rules[rule]({ canvas: on, texts: [text] });

const at = (x: number, y: number, width = 400) => visible({ ink: { x, y, width, height: 60 } });

describe("the safe zone", () => {
  const outside = (text: VisibleText, on = canvas) => warnings("text_outside_safe_zone", text, on).length > 0;

  test("of a tall frame leaves 15 % at the top, 35 % at the bottom, 11 % at the left and 18 % at the right", () => {
    expect([286, 288, 1188, 1190].map((y) => outside(at(300, y)))).toEqual([true, false, false, true]);
    expect([118, 120, 488, 490].map((x) => outside(at(x, 900)))).toEqual([true, false, false, true]);
  });

  test("of any other frame leaves 5 % on all sides", () => {
    const wide = { width: 1920, height: 1080 };
    expect([55, 52, 965, 970].map((y) => outside(at(300, y), wide))).toEqual([false, true, false, true]);
  });

  test("the warning names the sides and by how many pixels they are exceeded", () => {
    const [{ message } = { message: "" }] = warnings("text_outside_safe_zone", at(4, 200));
    expect(message).toContain("116 pixels at the left, 88 pixels at the top");
  });

  test("of a text that is too wide is checked at the top and bottom only", () => {
    const [{ message } = { message: "" }] = warnings("text_outside_safe_zone", at(-100, 1850, 1300));
    expect(message).toContain("by 662 pixels at the bottom.");
  });

  test("gives no second warning for a text that is wider than the frame", () => {
    const text = at(-100, 900, 1300);
    expect(warnings("text_outside_safe_zone", text)).toEqual([]);
    expect(warnings("text_too_wide", text)[0]?.message).toContain("1300 pixels wide");
    expect(warnings("text_too_wide", at(0, 900, 1080))).toEqual([]);
  });
});

describe("a text that the frame cuts", () => {
  const cut = (text: VisibleText) => warnings("text_cut", text).map(({ message }) => message);

  test("is warned of with the pixels outside of the frame, instead of those outside of the safe zone", () => {
    const left = at(-22, 1890);
    expect(cut(left)).toEqual([expect.stringContaining("22 pixels at the left, 30 pixels at the bottom")]);
    expect(warnings("text_outside_safe_zone", left)).toEqual([]);
  });

  test("is none if it touches the edge, if it is moved into the frame, or beside the warning that it is too wide", () => {
    expect(cut(at(-1, 900))).toEqual([]);
    expect(warnings("text_outside_safe_zone", at(-1, 900))).toHaveLength(1);
    const text = at(-22, 900);
    expect(cut({ ...text, overlay: { ...text.overlay, within: { x: 0, y: 0, ...canvas } } })).toEqual([]);
    expect(cut(at(-100, 900, 1300))).toEqual([]);
    expect(cut(at(-100, -20, 1300))).toEqual([expect.stringContaining("cuts off 20 pixels at the top of")]);
  });
});

describe("contrast", () => {
  const isLow = (style: Partial<TextStyle>) => warnings("text_low_contrast", visible({}, style)).length > 0;
  const box = (text: string) => ({ background: { color: color(text), padding: 10, radius: 0 } });
  const stroke = (text: string) => ({ stroke: { color: color(text), width: 4 } });

  test("of a text without stroke and box is unknown", () => {
    expect(isLow({ fontColor: color("white") })).toBe(false);
  });

  test("below 3 to 1 gives a warning, for a box and for a stroke", () => {
    expect([box("#949494"), box("#959595"), stroke("#949494"), stroke("yellow")].map(isLow)).toEqual([
      ...[false, true, false, true],
    ]);
  });

  test("is sufficient if either the stroke or the box has it", () => {
    expect(isLow({ ...stroke("white"), ...box("black") })).toBe(false);
    expect(isLow({ ...stroke("black"), ...box("white") })).toBe(false);
    expect(isLow({ ...stroke("white"), ...box("white") })).toBe(true);
  });

  test("includes the background of a transparent text and ignores a nearly transparent background", () => {
    expect(isLow({ fontColor: color("rgb(255 255 255 / 0.2)"), ...box("black") })).toBe(true);
    expect(isLow(box("rgb(255 255 255 / 0.4)"))).toBe(false);
  });
});

describe("texts that are drawn over each other", () => {
  const name = at(300, 900);
  const price = { ...at(340, 950, 200), path: "texts.1", content: { ...name.content, text: "890" } };
  const over = (...texts: VisibleText[]) => overlappingTexts({ texts, rate: { num: 30, den: 1 } });
  const seen = (text: VisibleText, overlay: Partial<Overlay>) => ({
    ...text,
    overlay: { ...text.overlay, ...overlay },
  });
  const reads = (text: VisibleText, content: Partial<TextContent>) => ({
    ...text,
    content: { ...text.content, ...content },
  });
  const styled = (style: Partial<TextStyle>) => reads(price, { style: { ...price.content.style, ...style } });

  test("are warned of once, at the longer one, with what they share", () => {
    const expected = [
      { path: "texts.0", message: expect.stringContaining('runs into "890" by 200 × 10 pixels: shorten') },
    ];
    expect(over(name, price)).toEqual(expected);
    expect(over(price, name)).toEqual(expected);
    const more = [2, 3, 4].map((index) => ({ ...price, path: `texts.${index}` }));
    expect(over(name, price, ...more)).toMatchObject([{ message: expect.stringContaining(", and into 1 more:") }]);
  });

  test("are none if they touch, take turns or are equal, or if one decorates", () => {
    expect(over(name, { ...price, ink: { ...price.ink!, y: 956 } })).toEqual([]);
    expect(over(name, seen(price, { range: { start: 51, end: 90 } }))).toEqual([]);
    expect(over(name, reads(price, { text: name.content.text }))).toEqual([]);
    expect(over(name, reads(price, { text: "•••" }))).toEqual([]);
    expect(over(name, seen(price, { rotationDegrees: 45 }))).toEqual([]);
    expect(over(name, seen(price, { opacity: 0.3 }))).toEqual([]);
    expect(over(name, styled({ fontSize: 120 }))).toEqual([]);
  });

  test("are those of all pairs, however they follow each other", () => {
    const texts = fc.array(fc.tuple(fc.nat(60), fc.integer({ min: 1, max: 60 }), fc.nat(3)), { maxLength: 12 });
    fc.assert(
      fc.property(texts, (drawn) => {
        const all = drawn.map(([start, frames, words], index) => {
          const one = seen(reads(price, { text: `word ${words}` }), { range: { start, end: start + frames } });
          return { ...one, path: `texts.${index}` };
        });
        const pairs = all.flatMap((one, index) => all.slice(index + 1).map((two) => over(one, two)));
        const paths = new Set(pairs.flat().map(({ path }) => path));
        expect(new Set(over(...all).map(({ path }) => path))).toEqual(paths);
      }),
    );
  });

  test("are compared with the fifty that are there as they begin: five hundred at once are no composition", () => {
    const all = Array.from({ length: 500 }, (_, index) => ({
      ...reads(price, { text: `word ${index}` }),
      path: `texts.${index}`,
    }));
    const named = over(...all).map(({ message }) => Number(/into (\d+) more/.exec(message)?.[1] ?? 0) + 3);
    expect(named.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(500 * 50 + 3 * 500);
    expect(named.length).toBeGreaterThan(0);
  });

  test("are compared where another frame moves them to", () => {
    const within = { x: 0, y: 0, width: 640, height: 640 };
    expect(over(seen(name, { within }), seen({ ...price, ink: { ...price.ink!, y: 1200 } }, { within }))).toHaveLength(
      1,
    );
  });
});

test("missing characters are named with their code points, twenty at most", () => {
  const [{ path, message } = { path: "", message: "" }] = warnings("glyph_missing", visible({ missing: ["ᚠ", "𐎀"] }));
  expect([path, message]).toEqual(["texts.0.text", expect.stringContaining("ᚠ (U+16A0), 𐎀 (U+10380)")]);

  const missing = Array.from({ length: 25 }, (_, index) => String.fromCodePoint(0x10380 + index));
  expect(warnings("glyph_missing", visible({ missing }))[0]?.message).toContain("and 5 more");
});
