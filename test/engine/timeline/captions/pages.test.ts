import { expect, test } from "bun:test";
import fc from "fast-check";
import { captionPages, type PageLimits } from "../../../../src/engine/timeline/captions/pages.ts";
import { columnsOf, startsWithClosing } from "../../../../src/engine/timeline/captions/scripts.ts";
import { tooFastFrom } from "../../../../src/engine/timeline/captions/speed.ts";
import { type CaptionPage, lineText } from "../../../../src/engine/timeline/captions/track.ts";
import { type SpokenWord, timeWords, toCaptionWords } from "../../../../src/engine/timeline/captions/words.ts";

const rate = { num: 10, den: 1 };
const limits: PageLimits = { columns: 18, maxLines: 2, rate, frames: 600 };

const pagesOf = (words: readonly SpokenWord[], changed: Partial<PageLimits> = {}): readonly CaptionPage[] => {
  const content = { kind: "words", words: toCaptionWords(words, rate, limits.frames) } as const;
  return captionPages({ content }, { ...limits, ...changed });
};
const say = (text: string, seconds: number) => timeWords(text, { start: 0, end: seconds });

const textsOf = (pages: readonly CaptionPage[]) => pages.map(({ lines }) => lines.map(lineText).join("/"));
const rangesOf = (pages: readonly CaptionPage[]) => pages.map(({ range: { start, end } }) => [start, end]);

test.each([
  [
    "sentences",
    "It's quiet! And it costs just $39,50 now. Buy.",
    ["It's quiet!", "And it costs/just $39,50 now.", "Buy."],
  ],
  ["commas", "Meet the new grinder, made for slow mornings", ["Meet/the new grinder,", "made for slow/mornings"]],
  ["articles stay with their nouns", "We poured the new coffee", ["We poured/the new coffee"]],
  ["Chinese", "今天的咖啡很新鲜，快来试试吧！", ["今天的咖啡很新鲜，/快来试试吧！"]],
  ["Japanese particles", "今日のコーヒーは、とても新鮮です。", ["今日のコーヒーは、/とても新鮮です。"]],
  ["Thai", "กาแฟสดใหม่ทุกเช้าที่ร้านของเรา", ["กาแฟสดใหม่ทุก/เช้าที่ร้านของเรา"]],
  ["Arabic", "قهوة طازجة كل صباح؟ نعم!", ["قهوة طازجة/كل صباح؟", "نعم!"]],
  ["emoji stay with their sentence", "Hi there! 👋 Come in", ["Hi there! 👋", "Come in"]],
  ["hyphens in long words", "Rechtsschutzversicherungs-Angestellte", ["Rechtsschutzversicherungs-/Angestellte"]],
])("breaks pages and lines: %s", (_, text, expected) => {
  expect(textsOf(pagesOf(say(text, 8)))).toEqual(expected);
});

test("few words to a line", () => {
  expect(textsOf(pagesOf(say("one two three four five", 2), { maxWordsPerLine: 1, maxLines: 1 }))).toEqual([
    ..."one two three four five".split(" "),
  ]);
  expect(textsOf(pagesOf(say("one two three four five", 2), { maxWordsPerLine: 2 }))).toEqual([
    "one two/three",
    "four five",
  ]);
});

test("a soft hyphen shows only where a word breaks", () => {
  expect(textsOf(pagesOf(say("Wind\u00ADrad Donau\u00ADdampf\u00ADschiff\u00ADfahrts\u00ADkapitän", 4)))).toEqual([
    "Windrad",
    "Donaudampfschiff-/fahrtskapitän",
  ]);
});

const words = (...times: (readonly [text: string, start: number, end: number])[]) =>
  times.map(([text, start, end]) => ({ text, start, end }));

test("a silence ends a page, and the page stays until it can be read", () => {
  expect(rangesOf(pagesOf(words(["One", 1, 1.2], ["two", 4, 4.1], ["three", 5, 5.9])))).toEqual([
    [10, 17],
    [40, 47],
    [50, 59],
  ]);
});

test("two frames lie between pages, and none where the speaker goes on at once", () => {
  const spoken = words(["Go.", 1, 1.1], ["Now.", 1.65, 1.8], ["Please.", 2, 2.2]);
  // the silence after the first is longer than half a second, but too short to read it
  expect(rangesOf(pagesOf(spoken))).toEqual([
    [10, 15],
    [17, 20],
    [20, 27],
  ]);
});

test("the last page ends with the film", () => {
  expect(rangesOf(pagesOf(words(["End.", 1, 1.1], ["Late.", 3, 4]), { frames: 14 }))).toEqual([[10, 14]]);
});

test("pages that are too fast to read are found, short ones together", () => {
  const slow = pagesOf(words(["Hello", 0, 0.2], ["you", 0.2, 0.7]), { maxWordsPerLine: 1, maxLines: 1 });
  expect(tooFastFrom(slow, rate)).toEqual([]);
  const fast = pagesOf(words(["Nobody", 1, 1.2], ["reads", 1.2, 1.4], ["this.", 1.4, 1.5], ["Yes.", 1.5, 3]));
  expect(tooFastFrom(fast, rate)).toEqual([10]);
});

const cue = (start: number, end: number, ...texts: string[]): CaptionPage => {
  const range = { start, end };
  const lines = texts.map((text) => toCaptionWords(timeWords(text, { start: start / 10, end: end / 10 }), rate, 600));
  return { range, lines };
};
const cuePages = (...cues: CaptionPage[]) => captionPages({ content: { kind: "cues", cues } }, limits);

test("a cue keeps its times and its own lines if they fit", () => {
  const pages = cuePages(cue(10, 12, "Short", "and very fast"), cue(20, 40, "This line is far too wide for it"));
  expect(textsOf(pages)).toEqual(["Short/and very fast", "This line is far/too wide for it"]);
  expect(rangesOf(pages)).toEqual([
    [10, 12],
    [20, 40],
  ]);
});

test("a cue with too many lines becomes several pages in its time", () => {
  const pages = cuePages(
    cue(10, 40, "A first line,", "a second,", "a third line"),
    cue(50, 70, "a b c d e f g h i", "j"),
  );
  expect(textsOf(pages)).toEqual(["A first line,/a second,", "a third line", "a b c d e f g h i/j"]);
  expect(pages[0]!.range.start).toBe(10);
  expect(pages[1]!.range.end).toBe(40);
});

test("a cue whose lines are too wide is broken again", () => {
  const pages = cuePages(cue(10, 40, "A first line that is", "a good deal too wide", "for all of us"));
  expect(textsOf(pages)).toEqual(["A first line that", "is a good deal too/wide for all of us"]);
});

const alphabets = [
  "abc ,.!",
  "über-Straße. ",
  "今天的咖啡，。",
  "コーヒーはです、っ",
  "กาแฟสด ",
  "قهوة، ؟",
  "क्या है। ",
  "👋🔥a ",
];
const anyText = fc
  .constantFrom(...alphabets)
  .chain((alphabet) => fc.string({ unit: fc.constantFrom(...alphabet), minLength: 1, maxLength: 120 }));

const anyLimits = fc.record({
  columns: fc.integer({ min: 4, max: 30 }),
  maxLines: fc.integer({ min: 1, max: 4 }),
  maxWordsPerLine: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
});

test("no word is lost, no pages overlap, and lines fit", () => {
  fc.assert(
    fc.property(anyText, anyLimits, (text, some) => {
      const spoken = say(text, 40);
      const pages = pagesOf(spoken, some);
      const shown = pages.flatMap(({ lines }) => lines.flat());
      expect(shown.map((word) => word.text).join("")).toBe(spoken.map((word) => word.text).join(""));
      let latest = 0;
      for (const { range, lines } of pages) {
        expect(range.start).toBeGreaterThanOrEqual(latest);
        expect(range.end).toBeGreaterThan(range.start);
        latest = range.end;
        expect(lines.length).toBeLessThanOrEqual(some.maxLines);
        for (const line of lines) {
          expect(line.length).toBeGreaterThan(0);
          expect(line.length === 1 || columnsOf(lineText(line)) <= some.columns).toBe(true);
          expect(line.length).toBeLessThanOrEqual(some.maxWordsPerLine ?? line.length);
        }
      }
      expect(latest).toBeLessThanOrEqual(limits.frames);
    }),
    { numRuns: 400 },
  );
});

test("no line starts with a closing mark that can stand elsewhere", () => {
  const open = "今天，的。咖啡！很新鲜、快来";
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...open), minLength: 5, maxLength: 60 }), (text) => {
      const pages = pagesOf(say(`茶${text}`, 30));
      const starts = pages.flatMap(({ lines }) => lines.map(lineText)).filter(startsWithClosing);
      expect(starts).toEqual([]);
    }),
  );
});
