import { expect, test } from "bun:test";
import fc from "fast-check";
import { parseText } from "media-captions";
import { parseSync } from "subtitle";
import { srtFile } from "../../../../src/engine/timeline/captions/srt.ts";
import { type CaptionPage, lineText } from "../../../../src/engine/timeline/captions/track.ts";
import { vttFile } from "../../../../src/engine/timeline/captions/vtt.ts";
import { wordsOf } from "../../../../src/engine/timeline/captions/words.ts";
import { toFrame } from "../../../../src/engine/timeline/time.ts";

const rate = { num: 30_000, den: 1001 };

/** One page for each list of lines, a second long, the words spoken evenly. */
const pagesOf = (...pages: readonly (readonly string[])[]): readonly CaptionPage[] =>
  pages.map((lines, index) => {
    const start = index * 40;
    const page = lines.map((line, row) =>
      wordsOf(line).map((word, at) => ({
        ...word,
        range: { start: start + row * 15 + at * 4, end: start + row * 15 + at * 4 + 4 },
      })),
    );
    return { range: { start, end: start + 30 }, lines: page };
  });

const two = pagesOf(["Hello there,", "you"], ["今天的咖啡"]);

test("writes a SubRip file", () => {
  expect(srtFile(two, rate)).toBe(
    "1\n00:00:00,000 --> 00:00:01,001\nHello there,\nyou\n\n2\n00:00:01,335 --> 00:00:02,336\n今天的咖啡\n",
  );
  expect(srtFile([], rate)).toBe("");
});

test("writes a WebVTT file, on demand with the times of the words", () => {
  expect(vttFile(two, rate, { hasWordTimes: false })).toBe(
    "WEBVTT\n\n00:00:00.000 --> 00:00:01.001\nHello there,\nyou\n\n00:00:01.335 --> 00:00:02.336\n今天的咖啡\n",
  );
  expect(vttFile(two, rate, { hasWordTimes: true })).toBe(
    "WEBVTT\n\n00:00:00.000 --> 00:00:01.001\nHello <00:00:00.133>there,\n<00:00:00.500>you\n\n" +
      "00:00:01.335 --> 00:00:02.336\n今天<00:00:01.468>的<00:00:01.602>咖啡\n",
  );
  expect(vttFile([], rate, { hasWordTimes: true })).toBe("WEBVTT\n");
});

const markup = pagesOf(["1 --> 2 &amp; <b>bold</b>", "a < b & {\\an8}c"]);

test("no text becomes markup", async () => {
  expect(srtFile(markup, rate).split("\n").slice(2)).toEqual([
    "1 → 2 &amp; <\u2060b>bold<\u2060/b>",
    "a < b & {\u2060\\an8}c",
    "",
  ]);
  expect(vttFile(markup, rate, { hasWordTimes: false })).toContain("1 --&gt; 2 &amp;amp; &lt;b&gt;bold&lt;/b&gt;\n");
});

/** The cues that two other parsers find, with their times in frames. */
const readBack = async (text: string, type: "srt" | "vtt") => {
  const { cues, errors } = await parseText(text, { type });
  expect(errors).toEqual([]);
  const first = cues.map(({ startTime, endTime, text: lines }) => [
    toFrame(startTime, rate),
    toFrame(endTime, rate),
    lines,
  ]);
  const second = parseSync(text).flatMap((node) =>
    node.type === "cue"
      ? [[toFrame(node.data.start / 1000, rate), toFrame(node.data.end / 1000, rate), node.data.text]]
      : [],
  );
  expect(second).toEqual(first);
  return first;
};

test("other parsers read the files back, whatever the texts are", async () => {
  const word = fc.string({ unit: fc.constantFrom(..."ab1<>&-{}\\/\n é今كُ🔥"), minLength: 1, maxLength: 12 });
  const page = fc.array(
    word.filter((text) => text.trim() !== ""),
    { minLength: 1, maxLength: 3 },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(page, { minLength: 1, maxLength: 4 }), async (texts) => {
      const pages = pagesOf(...texts);
      const times = pages.map(({ range: { start, end } }) => [start, end]);
      const srt = await readBack(srtFile(pages, rate), "srt");
      expect(srt.map(([start, end]) => [start, end])).toEqual(times);
      const vtt = await readBack(vttFile(pages, rate, { hasWordTimes: false }), "vtt");
      const expected = pages.map(({ lines }) => lines.map(lineText).join("\n"));
      const decoded = (text: unknown) =>
        String(text).replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
      expect(vtt.map(([, , text]) => decoded(text))).toEqual(expected);
    }),
  );
});
