import { expect, test } from "bun:test";
import { drawAll, drawOne, red, textOverlay, white } from "../../support/media/drawn-overlays.ts";

const behind = { color: red, padding: 0, radius: 0 };

test("the layout box is centered on the anchor, whatever its glyphs", async () => {
  for (const text of ["x", "Ägypten", "a\nlong second line", "日本", "שלום"]) {
    const { center } = await drawOne(textOverlay(text, { background: behind, fontSize: 33 }));
    expect(Math.abs(center.x - 160)).toBeLessThanOrEqual(1);
    expect(Math.abs(center.y - 120)).toBeLessThanOrEqual(1);
  }
});

test("a center between two pixels shifts the box by less than a pixel", async () => {
  const content = textOverlay("Half", { background: behind }).content;
  if (content.kind !== "text") throw new Error("not a text");
  const anchor = { at: "center", x: 160.5, y: 119.5 } as const;
  const { center } = await drawOne(textOverlay("", {}, { content: { ...content, anchor } }));
  expect(Math.abs(center.x - 160.5)).toBeLessThan(1);
  expect(Math.abs(center.y - 119.5)).toBeLessThan(1);
});

test("a top-left anchor is the corner of the layout box without padding", async () => {
  const { content } = textOverlay("Corner", { background: { ...behind, padding: 10 } });
  if (content.kind !== "text") throw new Error("not a text");
  const anchor = { at: "top_left", x: 50, y: 60 } as const;
  const [shown] = await drawAll(textOverlay("", {}, { content: { ...content, anchor } }));
  expect(shown?.box).toMatchObject({ x: 40, y: 50 });
});

test("capital letters are centered vertically in their line", async () => {
  const { center } = await drawOne(textOverlay("H", { fontSize: 100, lineHeight: 2 }));
  expect(Math.abs(center.x - 160)).toBeLessThanOrEqual(1);
  expect(Math.abs(center.y - 120)).toBeLessThanOrEqual(2);
});

test("the height of a line is the font size times the line height", async () => {
  const one = await drawOne(textOverlay("x", { background: behind, lineHeight: 1.5 }));
  const three = await drawOne(textOverlay("x\r\nx\nx", { background: behind, lineHeight: 1.5 }));
  expect([one.size.height, three.size.height]).toEqual([60, 180]);
});

test("letter spacing widens a text between its letters and keeps its center", async () => {
  const plain = await drawOne(textOverlay("HH"));
  const spaced = await drawOne(textOverlay("HH", { letterSpacing: 30 }));
  expect(spaced.size.width).toBe(plain.size.width + 30);
  expect(Math.abs(spaced.center.x - 160)).toBeLessThanOrEqual(1);
});

test("letter spacing does not separate Arabic letters", async () => {
  const plain = await drawOne(textOverlay("مرحبا"));
  const spaced = await drawOne(textOverlay("مرحبا", { letterSpacing: 20 }));
  expect(spaced.size).toEqual(plain.size);
});

test("a text wraps at maxWidth and keeps its own line breaks", async () => {
  const height = async (text: string, maxWidth?: number) =>
    (await drawOne(textOverlay(text, { background: behind, fontSize: 20, lineHeight: 2, maxWidth }))).size.height / 40;
  expect(await height("one two three four")).toBe(1);
  expect(await height("one two three four", 100)).toBe(2);
  expect(await height("one two\nthree four", 100)).toBe(2);
  expect(await height("Donaudampfschifffahrt", 100)).toBe(3);
  expect(await height("日本語の文章です", 100)).toBe(2);
});

const free = { background: behind, fontSize: 20, lineHeight: 2, maxWordWidth: 288 };

test("lines of a text without a width of its own are as few as can be and about equally long", async () => {
  const sizeOf = async (text: string, maxWidth: number) => {
    const { width, height } = (await drawOne(textOverlay(text, { ...free, maxWidth }))).size;
    return [Math.round(width / 20), height / 40];
  };
  expect(await sizeOf("山の上のエスプレッソ", 190)).toEqual([5, 2]);
  expect(await sizeOf("山の上のエスプレ", 70)).toEqual([3, 3]);
  expect(await sizeOf("山の上のエス\n日本", 190)).toEqual([6, 2]);
  const [greedy, even] = [{ maxWordWidth: undefined }, {}].map((style) =>
    drawOne(textOverlay("mmm mmm mmm m", { ...free, ...style, maxWidth: 190 })),
  );
  expect((await even)!.size.height).toBe((await greedy)!.size.height);
  expect((await even)!.size.width).toBeLessThan(0.8 * (await greedy)!.size.width);
});

test("no line of a text without a width of its own has a single sign if it can have more", async () => {
  const text = "山の上のエスプ";
  const { size } = await drawOne(textOverlay(text, { ...free, maxWidth: 61 }));
  const pixels = await drawOne(textOverlay(text, { ...free, background: undefined, maxWidth: 61 }));
  const inkWidth = (top: number) => {
    const columns = Array.from({ length: 320 }, (_, x) => x).filter((x) =>
      Array.from({ length: 40 }, (_, y) => pixels.at(x, top + y)[3]!).some((alpha) => alpha > 128),
    );
    return columns.at(-1)! - columns[0]!;
  };
  expect([size.width, size.height]).toEqual([60, 120]);
  expect([60, 100, 140].map((top) => Math.round(inkWidth(top) / 20))).toEqual([3, 2, 2]);
});

test("a text without a width of its own becomes wider for a word, up to a limit, and is not narrowed below it", async () => {
  const sizeOf = async (text: string, rest: object = {}) =>
    (await drawOne(textOverlay(text, { ...free, maxWidth: 100, ...rest }))).size;
  const word = await sizeOf("Donaudampfschifffahrt", { maxWidth: undefined });
  expect(word.width).toBeGreaterThan(150);
  expect(await sizeOf("Donaudampfschifffahrt")).toEqual(word);
  expect(await sizeOf("a Donaudampfschifffahrt")).toEqual({ width: word.width, height: 80 });
  expect((await sizeOf("Donaudampfschifffahrt", { maxWordWidth: 150 })).width).toBeLessThanOrEqual(150);
});

test("alignment positions the shorter line", async () => {
  const left = async (align: "left" | "center" | "right") => {
    const pixels = await drawOne(textOverlay("HHHHH\nH", { align }));
    return Array.from({ length: 320 }, (_, x) => x).find((x) => pixels.at(x, 145)[3]! > 128)!;
  };
  const atLeft = await left("left");
  const atCenter = await left("center");
  const atRight = await left("right");
  expect(atLeft).toBeLessThan(atCenter - 40);
  expect(atCenter).toBeLessThan(atRight - 40);
});

test("Hebrew runs from right to left", async () => {
  const both = await drawOne(textOverlay("אל"));
  const alef = await drawOne(textOverlay("א"));
  const columns = (pixels: typeof both, from: number, to: number) =>
    Array.from({ length: to - from }, (_, x) =>
      Array.from({ length: 240 }, (_, y) => pixels.at(from + x, y)[3]!),
    ).flat();
  // the first letter is the rightmost: the last columns of the pair equal those of the letter alone
  const end = Math.round(both.center.x + both.size.width / 2);
  const width = 10;
  const alone = Math.round(alef.center.x + alef.size.width / 2);
  const lone = columns(alef, alone - width, alone);
  const difference = columns(both, end - width, end).map((alpha, index) => Math.abs(alpha - lone[index]!));
  expect(difference.reduce((sum, each) => sum + each, 0) / 255).toBeLessThan(alef.ink / 5);
});

test("a paragraph that begins in Hebrew has its full stop on the left", async () => {
  const inkAtLeft = async (text: string) => {
    const pixels = await drawOne(textOverlay(text));
    const left = Math.round(pixels.center.x - pixels.size.width / 2);
    const column = Array.from({ length: 240 }, (_, y) => y).filter((y) => pixels.at(left + 2, y)[3]! > 0);
    return column.length;
  };
  expect(await inkAtLeft("אםםם.")).toBeLessThan(8);
  expect(await inkAtLeft("\u200Eאםםם.")).toBeGreaterThan(12);
});

test("a stroke lies outside the glyphs", async () => {
  const plain = await drawOne(textOverlay("H", { fontSize: 80 }));
  const stroked = await drawOne(textOverlay("H", { fontSize: 80, stroke: { color: red, width: 5 } }));
  expect(stroked.size.width - plain.size.width).toBeWithin(9, 12);
  const whitePixels = (pixels: typeof plain) =>
    pixels.data.filter((_, index) => index % 4 === 1 && pixels.data[index]! > 250 && pixels.data[index + 2]! > 250);
  expect(whitePixels(stroked).length).toBeGreaterThan(0.95 * whitePixels(plain).length);
});

test("a wide stroke has no holes along tight curves", async () => {
  for (const text of ["S", "8", "g"]) {
    const { at, size, center } = await drawOne(textOverlay(text, { fontSize: 80, stroke: { color: red, width: 60 } }));
    const row = (y: number) => Array.from({ length: 320 }, (_, x) => (at(x, y)[3]! > 0 ? "#" : " ")).join("");
    const rows = Array.from({ length: size.height }, (_, index) => row(Math.ceil(center.y - size.height / 2) + index));
    expect(rows.filter((each) => each.trim().includes(" "))).toEqual([]);
  }
});

test("the stroke does not show through a translucent fill", async () => {
  const fontColor = { ...white, alpha: 0.5 };
  const { center, size, at } = await drawOne(
    textOverlay("■", { fontSize: 100, fontColor, stroke: { color: red, width: 10 } }),
  );
  const left = Math.round(center.x - size.width / 2);
  const outside = at(left + 5, Math.round(center.y));
  const inside = at(left + 15, Math.round(center.y));
  expect(outside).toEqual([255, 0, 0, 255]);
  expect(inside.slice(0, 3)).toEqual([255, 255, 255]);
  expect(inside[3]).toBeWithin(126, 130);
});

test("overlapping translucent letters are not more opaque where they overlap", async () => {
  const overlapping = textOverlay("■■", { fontSize: 100, letterSpacing: -40, fontColor: { ...white, alpha: 0.5 } });
  const { data } = await drawOne(overlapping);
  expect(Math.max(...data.filter((_, index) => index % 4 === 3))).toBeLessThanOrEqual(129);
});

test("a shadow has its offset and rotates with its text", async () => {
  const shadow = { color: red, blur: 0, offsetX: 60, offsetY: 0 };
  const isRed = ([r, g, , alpha]: number[]) => r! > 200 && g! < 50 && alpha! > 200;
  const upright = await drawOne(textOverlay("■", { shadow }));
  const rotated = await drawOne(textOverlay("■", { shadow }, { rotationDegrees: 90 }));
  expect(isRed(upright.at(220, 120))).toBe(true);
  expect(isRed(rotated.at(160, 180))).toBe(true);
});

test.each([0, 30])("a blurred shadow fades out inside its bitmap, rotated by %i degrees", async (rotationDegrees) => {
  const soft = { color: { red: 0, green: 0, blue: 0, alpha: 0.6 }, blur: 12, offsetX: 0, offsetY: 4 };
  const style = { fontSize: 100, fontWeight: 700, shadow: soft };
  for (const move of ["none", "slideup", "pop"] as const) {
    const [drawn] = await drawAll(textOverlay("Go", style, { rotationDegrees, animateIn: move }));
    const { box, frames } = drawn!;
    for (const { at } of frames) {
      const rows = Array.from({ length: box.width }, (_, x) =>
        [0, box.height - 1].map((y) => at(box.x + x, box.y + y)[3]!),
      );
      const columns = Array.from({ length: box.height }, (_, y) =>
        [0, box.width - 1].map((x) => at(box.x + x, box.y + y)[3]!),
      );
      expect(Math.max(...rows.flat(), ...columns.flat())).toBeLessThanOrEqual(3);
    }
  }
});

test("emoji are drawn in color, including skin tones, sequences and flags", async () => {
  for (const text of ["😀", "👍🏽", "👩🏿‍🚀", "🇫🇷", "🏳️‍🌈", "❤️‍🔥", "❤️"]) {
    const { data, size } = await drawOne(textOverlay(text));
    const colored = Array.from({ length: data.length / 4 }, (_, index) => data.subarray(4 * index, 4 * index + 4));
    expect(colored.filter(([r, g, b]) => Math.max(r!, g!, b!) - Math.min(r!, g!, b!) > 60).length).toBeGreaterThan(30);
    // a single glyph: its parts are not drawn side by side
    expect(size.width).toBeLessThan(60);
  }
});

const hardTexts: Record<string, string> = {
  punctuation: `it's 50%: [a],b;c\\n{x} "q" %{pts} $& <b>&amp;</b>`,
  arabic: "مرحبا بالعالم",
  hebrew: "שָׁלוֹם",
  devanagari: "नमस्ते क्षत्रिय",
  thai: "สวัสดี น้ำใจ",
  chinese: "简体中文 繁體",
  japanese: "日本語テキスト",
  korean: "한국어",
  "lone combining mark": "\u0301",
  "stacked marks": `Z${"\u0301\u0323".repeat(40)}`,
  "private use": "\u{E123} \u{F0001}",
  "replacement character": "\uFFFD",
  "direction controls": "\u202Eabc\u202C \u2067x\u2069",
  "zero-width characters": "a\u200B\u200D\u2060\uFEFFb",
  "control characters": "a\u0001\u001B[31mb\u007F",
  unassigned: "\u0378",
  "500 characters": "Reel ".repeat(100),
  "10,000 characters": "x".repeat(10_000),
  "10,000 right-to-left letters": "אב".repeat(5000),
  tabs: "a\tb",
};

test.each(Object.entries(hardTexts))("a text with %s draws visible pixels", async (_, text) => {
  expect((await drawOne(textOverlay(text))).ink).toBeGreaterThan(3);
});

test("a word of 9,999 letters wraps in a narrow box at any font size", async () => {
  for (const fontSize of [1, 1000]) {
    expect((await drawOne(textOverlay("x".repeat(9_999), { fontSize, maxWidth: 100 }))).ink).toBeGreaterThan(3);
  }
});

test("texts without visible characters are left out", async () => {
  expect(await drawAll(textOverlay(""), textOverlay(" \n\t"), textOverlay("\u200B"))).toEqual([]);
});
