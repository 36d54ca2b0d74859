import { expect, test } from "bun:test";
import { readCaptions } from "../../../src/domain/captions/content.ts";

const words = (count: number, text: string) =>
  Array.from({ length: count }, (_, index) => ({ text, start: index, end: index + 1 }));

test("the field that is given decides where the words come from", async () => {
  expect(await readCaptions({}, {})).toEqual({ kind: "script" });
  expect(await readCaptions({ words: [] }, {})).toEqual({ kind: "words", words: [] });
  expect(await readCaptions({ from: "script", words: words(1, "a") }, {})).toEqual({ kind: "script" });
});

test.each([
  ["characters", words(250, "x".repeat(401)), "Words must have at most 100,000 characters of text."],
  ["words", words(5_000, "a b c d e"), "Words must have at most 20,000 words."],
])("captions have at most so many %s", async (_, given, message) => {
  await expect(readCaptions({ words: given }, {})).rejects.toThrow(message);
});
