import { expect, test } from "bun:test";
import fc from "fast-check";
import { cleanLines, cleanText, countWords, sentencesOf, textOrNull } from "../../src/platform/texts.ts";
import { textUpTo } from "../support/any-text.ts";

test("cleanText returns one line without invisible characters", () => {
  expect(cleanText("  One\r\n two\u0000\u0007\u202e three\ufeff \t", 100)).toBe("One two three");
});

test("cleanText bounds any text, keeps it well-formed and removes control characters", () => {
  const segmenter = new Intl.Segmenter();
  fc.assert(
    fc.property(textUpTo(400), fc.integer({ min: 1, max: 80 }), (text, max) => {
      const line = cleanText(text, max);
      expect([...segmenter.segment(line)].length).toBeLessThanOrEqual(max);
      expect(line.isWellFormed()).toBe(true);
      expect(line).not.toMatch(/\p{Cc}/u);
    }),
  );
});

test("a long text is cut between words, and never inside an emoji", () => {
  expect(cleanText("The quick brown fox jumps over it", 22)).toBe("The quick brown fox…");
  expect(cleanText("👩‍👩‍👧‍👦".repeat(9), 3)).toBe(`${"👩‍👩‍👧‍👦".repeat(2)}…`);
});

test("every spelling of 'nothing' becomes null", () => {
  for (const nothing of [null, undefined, "", " ", "None", "n/a", "null", "-", "No text"]) {
    expect([nothing, textOrNull(nothing, 50)]).toEqual([nothing, null]);
  }
  expect(textOrNull("None of that", 50)).toBe("None of that");
});

test("cleanLines keeps lines", () => {
  expect(cleanLines(" a\r\nb\u0000  \n\u2028c ")).toBe("a\nb\n\nc");
});

test("counts words also without spaces between them", () => {
  expect(countWords("Try it today.")).toBe(3);
  expect(countWords("今天就试试。")).toBeGreaterThan(1);
});

test("splits sentences by the rules of their language", () => {
  expect(sentencesOf("Slow roast. Fresh!\n- No plastic\n你好。再见。")).toEqual([
    "Slow roast.",
    "Fresh!",
    "No plastic",
    "你好。",
    "再见。",
  ]);
});

test("a sentence may begin with a number, and an abbreviation ends none", () => {
  expect(sentencesOf("A gym in an old factory. 1,200 square metres of walls. Holds approx. 30 people.")).toEqual([
    "A gym in an old factory.",
    "1,200 square metres of walls.",
    "Holds approx. 30 people.",
  ]);
});

test.each([
  ["Dr. Lenz treats you. Without pain.", ["Dr. Lenz treats you.", "Without pain."]],
  ["Mit Prof. Dr. Kern, Haus Nr. 7. Auch samstags.", ["Mit Prof. Dr. Kern, Haus Nr. 7.", "Auch samstags."]],
  ["Brot, Kuchen usw. aus dem Steinofen.", ["Brot, Kuchen usw. aus dem Steinofen."]],
  ["We are Oak & Co. We build tables.", ["We are Oak & Co.", "We build tables."]],
] as const)("the sentences of %s", (text, sentences) => {
  expect(sentencesOf(text)).toEqual([...sentences]);
});

test("collapses long runs of spaces", () => {
  expect(sentencesOf(`Slow${" ".repeat(500_000)}roast. Fresh\t\t• Dark\n· Mild`)).toEqual([
    "Slow roast.",
    "Fresh",
    "Dark",
    "Mild",
  ]);
});
