import { expect, test } from "bun:test";
import { givenWords } from "../../../src/domain/captions/content.ts";
import { SpokenWordRequest } from "../../../src/domain/captions/schema.ts";
import { parseInput } from "../../../src/domain/shared/validation.ts";

const show = (words: readonly SpokenWordRequest[]) =>
  givenWords(words).map(({ text, start, end, glued }) => [
    glued ? `+${text}` : text,
    Number(start.toFixed(3)),
    Number(end.toFixed(3)),
  ]);

test("words are put in order, and empty ones are left out", () => {
  const words = [
    { text: "two", start: 1, end: 2 },
    { text: " ", start: 0.2, end: 0.3 },
    { text: "one", start: 0, end: 1 },
  ];
  expect(show(words)).toEqual([
    ["one", 0, 1],
    ["two", 1, 2],
  ]);
});

test("several words share the time of one by their lengths", () => {
  expect(show([{ text: "a big day", start: 0, end: 1.3 }])).toEqual([
    ["a", 0, 0.3],
    ["big", 0.3, 0.8],
    ["day", 0.8, 1.3],
  ]);
});

test("the captions of Remotion: milliseconds, and spaces at the start of the texts", () => {
  const words = [
    { text: "Re", startMs: 0, endMs: 100 },
    { text: "motion", startMs: 100, endMs: 400 },
    { text: ",", startMs: 400, endMs: 500 },
    { text: " hello", startMs: 500, endMs: 900 },
  ];
  expect(show(words)).toEqual([
    ["Remotion,", 0, 0.5],
    ["hello", 0.5, 0.9],
  ]);
});

test("Chinese words follow each other without spaces, punctuation joins its word", () => {
  const words = [
    { text: "今天", start: 0, end: 0.4 },
    { text: "的", start: 0.4, end: 0.5 },
    { text: "咖啡", start: 0.5, end: 0.9 },
    { text: "，", start: 0.9, end: 1 },
    { text: "iPhone", start: 1, end: 2 },
  ];
  expect(show(words).map(([text]) => text)).toEqual(["今天", "+的", "+咖啡，", "+iPhone"]);
});

test.each([
  ["without a start", { text: "a", end: 1 }, "start: Is required."],
  ["without an end", { text: "a", startMs: 0 }, "end: Is required."],
  ["that ends before its start", { text: "a", start: 2, end: 1 }, "end: Must not be earlier than start."],
])("a word %s is refused", (_, word, expected) => {
  const issues = parseInput(SpokenWordRequest, word).error?.issues ?? [];
  expect(issues.map(({ path, message }) => `${path.join(".")}: ${message}`)).toEqual([expected]);
});
