import { expect, test } from "bun:test";
import fc from "fast-check";
import { breakablePieces, wrapLine } from "../../../src/media/text/line-breaks.ts";

test("the pieces of any line are the line again", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (line) => breakablePieces(line).join("") === line));
});

test.each([
  ["words", "Don't stop (here), please", ["Don't ", "stop ", "(here), ", "please"]],
  ["hyphens between letters", "well-known -5 10-20", ["well-", "known ", "-5 ", "10-20"]],
  ["unbreakable spaces", "10\u00A0km on", ["10\u00A0km ", "on"]],
  ["zero-width spaces", "ab\u200Bcd", ["ab\u200B", "cd"]],
  ["Japanese, its punctuation kept", "日本「語」、", ["日", "本", "「語」、"]],
  ["Thai words", "สวัสดีชาวโลก", ["สวัสดี", "ชาว", "โลก"]],
  ["emoji", "👩🏿‍🚀🇫🇷🇩🇪", ["👩🏿‍🚀", "🇫🇷", "🇩🇪"]],
  ["addresses", "see https://x.y/z?q=1", ["see ", "https://x.y/z?q=1"]],
])("lines may break after %s", (_, line, pieces) => {
  expect(breakablePieces(line)).toEqual(pieces);
});

const upTo = (length: number) => (text: string) => [...text].length <= length;

test("lines take as many pieces as fit", () => {
  expect(wrapLine("aa bb cc dd ee ff", upTo(8))).toEqual(["aa bb cc", "dd ee ff"]);
});

test("a word too long for a line starts on its own line and breaks between clusters", () => {
  expect(wrapLine("a bbbbbbb c", upTo(4))).toEqual(["a", "bbbb", "bbb", "c"]);
  expect(wrapLine("e\u0301e\u0301e\u0301", upTo(3))).toEqual(["e\u0301", "e\u0301", "e\u0301"]);
});

test("where nothing fits, each line holds one cluster", () => {
  expect(wrapLine("añ👍🏽", () => false)).toEqual(["a", "ñ", "👍🏽"]);
});

test("an empty line stays a line", () => {
  expect(wrapLine("", () => true)).toEqual([""]);
});
