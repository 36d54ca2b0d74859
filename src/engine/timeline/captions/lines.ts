import { columnsOf, endsClause, endsSentence, isHiragana, isUnspaced, startsWithClosing } from "./scripts.ts";
import type { CaptionLine, CaptionTrack, CaptionWord } from "./track.ts";

export type LineLimits = Pick<CaptionTrack, "maxLines" | "maxWordsPerLine"> & {
  /** The letters that fit on a line; a Chinese, Japanese or Korean character counts as two. */
  readonly columns: number;
};

/** True without a letter, digit or sign, as for an emoji or a dash. It is shown with the word before it. */
export const isSilent = ({ text }: CaptionWord): boolean => !/[\p{L}\p{N}&+%@#=\p{Sc}]/u.test(text);

const spaceBefore = ({ glued }: CaptionWord): number => (glued ? 0 : 1);

export const lineColumns = (line: CaptionLine): number =>
  line.reduce((sum, word, index) => sum + columnsOf(word.text) + (index > 0 ? spaceBefore(word) : 0), 0);

export const fitsOnLine = (line: CaptionLine, { columns, maxWordsPerLine = line.length }: LineLimits): boolean =>
  lineColumns(line) <= columns && line.length <= maxWordsPerLine;

/** The costs of another page and of another line. A bad break inside a page is worse than another page. */
const pageCost = 10;
const lineCost = 1.5;

/** The reading disturbance of a line break between two words. */
function breakCost(before: CaptionWord, after: CaptionWord): number {
  if (isSilent(after) || (after.glued && isInsideWord(before, after))) return 2 * pageCost;
  if (endsPhrase(before, after)) return 0;
  if (after.glued && isHiragana(after.text)) return 3 * lineCost;
  return isShort(before) ? 0.3 : 0.1;
}

const endsPhrase = (before: CaptionWord, after: CaptionWord): boolean =>
  endsClause(before.text) || endsSentence(before.text, after.text);

/** A page that ends inside a phrase costs as much as another line. */
const pageBreakCost = (before: CaptionWord, after: CaptionWord): number =>
  3 * breakCost(before, after) + (endsPhrase(before, after) ? 0 : lineCost);

const isInsideWord = (before: CaptionWord, after: CaptionWord): boolean =>
  startsWithClosing(after.text) || (!isUnspaced(before.text) && !isUnspaced(after.text));

/** True for articles and prepositions, which belong to the word after them and are mostly short. */
const isShort = ({ text }: CaptionWord): boolean => /^\p{L}{1,3}$/u.test(text) && !isUnspaced(text);

/** A word, its columns after another word and at the start of a line, and the cost of a break after it. */
type Measured = {
  readonly columns: number;
  readonly columnsAtStart: number;
  readonly lineBreak: number;
  readonly pageBreak: number;
};

/** Computed once per word, because it is tried in many lines. */
function measure(words: CaptionLine): readonly Measured[] {
  return words.map((word, index) => {
    const columnsAtStart = columnsOf(word.text);
    const next = words[index + 1];
    return {
      columns: columnsAtStart + spaceBefore(word),
      columnsAtStart,
      lineBreak: next ? breakCost(word, next) : 0,
      pageBreak: next ? pageBreakCost(word, next) : 0,
    };
  });
}

/** The best line from a word on, as the nth of its page: its end, whether the page ends, and the cost of the rest. */
type Choice = { readonly end: number; readonly endsPage: boolean; readonly cost: number };

/**
 * Breaks words into pages of few lines of similar length. Each line holds at most `columns`, or one wider word.
 * Compares all possible breaks together, from the last word to the first.
 */
export function breakPages(words: CaptionLine, limits: LineLimits): readonly (readonly CaptionLine[])[] {
  const measured = measure(words);
  const choices: Choice[][] = new Array(words.length);
  for (let start = words.length - 1; start >= 0; start--) {
    choices[start] = Array.from({ length: limits.maxLines }, (_, line) =>
      bestLine(measured, start, { limits, isLast: line + 1 === limits.maxLines, line, choices }),
    );
  }
  const pages: CaptionLine[][] = [];
  let lines: CaptionLine[] = [];
  for (let start = 0; start < words.length; ) {
    const { end, endsPage } = choices[start]![lines.length]!;
    lines.push(words.slice(start, end));
    if (endsPage) {
      pages.push(lines);
      lines = [];
    }
    start = end;
  }
  return pages;
}

type Search = {
  readonly limits: LineLimits;
  readonly line: number;
  readonly isLast: boolean;
  /** The choices of all later words, by line. */
  readonly choices: readonly (readonly Choice[])[];
};

function bestLine(words: readonly Measured[], start: number, { limits, line, isLast, choices }: Search): Choice {
  const { columns, maxWordsPerLine = words.length } = limits;
  let width = 0;
  let best: Choice | undefined;
  for (let end = start + 1; end <= Math.min(words.length, start + maxWordsPerLine); end++) {
    const word = words[end - 1]!;
    width += best ? word.columns : word.columnsAtStart;
    if (width > columns && best) break;
    const own = lineCost + (width / columns) ** 2;
    const following = choices[end];
    const onSamePage = isLast || !following ? Number.POSITIVE_INFINITY : word.lineBreak + following[line + 1]!.cost;
    const onNextPage = pageCost + word.pageBreak + (following?.[0]?.cost ?? 0);
    const cost = own + Math.min(onSamePage, onNextPage);
    // of equal ones the first: then the upper line is the shorter one
    if (!best || cost < best.cost) best = { end, endsPage: onNextPage <= onSamePage, cost };
  }
  return best!; // safe because the first word always is a line
}
