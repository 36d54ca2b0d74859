import type { SKRSContext2D } from "@napi-rs/canvas";
import bidiFactory from "bidi-js";
import type { TextLine } from "../text/layout.ts";
import type { CaptionContent } from "../timeline/overlay.ts";

type Words = CaptionContent["lines"][number];
type Direction = TextLine["direction"];

/** A part of a line that shows one word, or a piece of one, in pixels from the line's left end. */
export type WordPart = { readonly word: number; readonly left: number; readonly right: number };

export type LineLayout = {
  readonly text: string;
  readonly direction: Direction;
  readonly width: number;
  /** The parts from left to right. */
  readonly parts: readonly WordPart[];
  /** The text up to the end of each word. */
  readonly prefixes: readonly string[];
  /** True if every word begins where the one before it ends, on its right. */
  readonly isForward: boolean;
};

/** Places the words of a line that is shaped as a whole. `context` has the fonts. */
export function layOutWords(words: Words, direction: Direction, context: SKRSContext2D): LineLayout {
  const { text, ranges } = joinWords(words);
  const measure = (part: string, level: number): number => {
    context.direction = level % 2 === 1 ? "rtl" : "ltr";
    return part === "" ? 0 : context.measureText(part).width;
  };
  const parts: WordPart[] = [];
  let left = 0;
  for (const { start, end, level } of visualRuns(text, direction)) {
    const run = text.slice(start, end);
    const width = measure(run, level);
    const along = (index: number) => measure(run.slice(0, Math.max(0, index - start)), level);
    for (const [word, range] of ranges.entries()) {
      if (range.end <= start || range.start >= end) continue;
      const [first, last] = [along(range.start), along(Math.min(range.end, end))];
      const isForward = level % 2 === 0;
      parts.push({
        word,
        left: left + (isForward ? first : width - last),
        right: left + (isForward ? last : width - first),
      });
    }
    left += width;
  }
  parts.sort((one, other) => one.left - other.left);
  const isForward = parts.every(({ word }, index) => word === index);
  return { text, direction, width: left, parts, isForward, prefixes: ranges.map(({ end }) => text.slice(0, end)) };
}

/** The text of a line, and where each word lies in it. */
function joinWords(words: Words) {
  let text = "";
  const ranges = words.map((word, index) => {
    if (index > 0 && !word.glued) text += " ";
    const start = text.length;
    text += word.text;
    return { start, end: text.length };
  });
  return { text, ranges };
}

type Run = { readonly start: number; readonly end: number; readonly level: number };

const bidi = bidiFactory();

/** Pieces of one direction each, from left to right (UAX #9, rule L2). Odd levels are read from right to left. */
function visualRuns(text: string, direction: Direction): readonly Run[] {
  const { levels } = bidi.getEmbeddingLevels(text, direction);
  const runs: Run[] = [];
  for (const [index, level] of levels.entries()) {
    const last = runs.at(-1);
    if (last?.level === level) runs[runs.length - 1] = { ...last, end: index + 1 };
    else runs.push({ start: index, end: index + 1, level });
  }
  for (let level = Math.max(0, ...levels); level > 0; level--) reverseRows(runs, level);
  return runs;
}

/** Reverses each row of adjacent runs of at least this level. */
function reverseRows(runs: Run[], level: number): void {
  for (let start = 0; start < runs.length; start++) {
    let end = start;
    while (end < runs.length && runs[end]!.level >= level) end++;
    runs.splice(start, end - start, ...runs.slice(start, end).reverse());
    start = Math.max(start, end);
  }
}
