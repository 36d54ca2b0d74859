import { expect, test } from "bun:test";
import fc from "fast-check";
import { breakablePieces, wrapLine } from "../../../src/engine/text/line-breaks.ts";

test("the pieces of a line, joined, are the line", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (line) => breakablePieces(line).join("") === line));
});

test.each([
  ["words", "Don't stop (here), please", ["Don't ", "stop ", "(here), ", "please"]],
  ["hyphens between letters", "well-known -5 10-20", ["well-", "known ", "-5 ", "10-20"]],
  ["no-break spaces", "10\u00A0km on", ["10\u00A0km ", "on"]],
  ["zero-width spaces", "ab\u200Bcd", ["ab\u200B", "cd"]],
  ["Japanese characters, except before punctuation", "日本「語」、", ["日", "本", "「語」、"]],
  ["Thai words", "สวัสดีชาวโลก", ["สวัสดี", "ชาว", "โลก"]],
  ["emoji", "👩🏿‍🚀🇫🇷🇩🇪", ["👩🏿‍🚀", "🇫🇷", "🇩🇪"]],
  ["addresses", "see https://x.y/z?q=1", ["see ", "https://x.y/z?q=1"]],
])("break opportunities: %s", (_, line, pieces) => {
  expect(breakablePieces(line)).toEqual(pieces);
});

const upTo = (length: number) => (text: string) => [...text].length <= length;

test("a line takes as many pieces as fit", () => {
  expect(wrapLine("aa bb cc dd ee ff", upTo(8))).toEqual(["aa bb cc", "dd ee ff"]);
});

test("a word too long for a line starts on a new line and breaks between graphemes", () => {
  expect(wrapLine("a bbbbbbb c", upTo(4))).toEqual(["a", "bbbb", "bbb", "c"]);
  expect(wrapLine("e\u0301e\u0301e\u0301", upTo(3))).toEqual(["e\u0301", "e\u0301", "e\u0301"]);
});

test("if nothing fits, each line has one grapheme", () => {
  expect(wrapLine("añ👍🏽", () => false)).toEqual(["a", "ñ", "👍🏽"]);
});

test("an empty line stays one line", () => {
  expect(wrapLine("", () => true)).toEqual([""]);
});
