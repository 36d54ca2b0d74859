import { expect, test } from "bun:test";
import { fitVoiceText } from "../../../../src/domain/ai/scenario/voice-text.ts";

test.each([
  ["fits", "Good morning.", 4, "Good morning."],
  [
    "ends with the last sentence that fits",
    "One two three. Four five six. Seven eight nine ten eleven.",
    3,
    "One two three. Four five six.",
  ],
  [
    "keeps a first sentence that is a little too long",
    "One two three four five six.",
    2,
    "One two three four five six.",
  ],
  [
    "keeps the clauses of a sentence that is much too long",
    "One two three, four five six seven eight nine ten eleven.",
    2,
    "One two three…",
  ],
  [
    "keeps the words of one without clauses",
    "One two three four five six seven eight nine ten eleven.",
    2,
    "One two three four five…",
  ],
  ["joins Chinese sentences without a space", "你好。再见。", 4, "你好。再见。"],
  ["has no word", "…", 4, null],
])("a text that %s", (_, text, seconds, expected) => {
  expect(fitVoiceText(text, seconds)).toBe(expected);
});
