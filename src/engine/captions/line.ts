import type { SKRSContext2D } from "@napi-rs/canvas";
import { visualRuns } from "../text/bidi-runs.ts";
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
