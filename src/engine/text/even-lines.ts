import { breakablePieces, wrapLine } from "./line-breaks.ts";

/** `start` is the index of the text in the line or text that is broken. */
type WidthOf = (text: string, start: number) => number;

/** The tolerance for rounding errors of measured widths, in pixels. */
const tolerance = 0.01;

export const wrapAt = (line: string, maxWidth: number, widthOf: WidthOf): string[] =>
  wrapLine(line, (part, start) => widthOf(part, start) <= maxWidth + tolerance);

/** The width of the widest part of a text in which no line may break. */
export function widestPiece(text: string, widthOf: WidthOf): number {
  let widest = 0;
  for (const { 0: word, index } of text.matchAll(/\S+/gu)) {
    let start = index;
    for (const piece of breakablePieces(word)) {
      widest = Math.max(widest, widthOf(piece, start));
      start += piece.length;
    }
  }
  return widest;
}

/** Paragraphs with more lines are no titles: filled greedily, because evening them out takes ten times as long. */
const maxEvenLines = 50;

/** The last lines of a paragraph that are evened out one by one: the time grows with the square of their number. */
const maxSingleLines = 8;

/** The fewest lines that `maxWidth` allows, of about equal length. None becomes narrower than `minWidth`. */
export function wrapEvenly(line: string, widths: { minWidth: number; maxWidth: number }, widthOf: WidthOf): string[] {
  const { minWidth, maxWidth } = widths;
  const filled = wrapAt(line, maxWidth, widthOf);
  const { length: count } = filled;
  if (count === 1 || count > maxEvenLines) return filled;
  const isEnough = (width: number) => wrapAt(line, width, widthOf).length <= count;
  const spare = maxWidth - Math.min(minWidth, maxWidth);
  const narrowest =
    maxWidth - (isEnough(maxWidth - spare) ? spare : largest((cut) => isEnough(maxWidth - cut), 0, spare));
  const lines = wrapAt(line, narrowest, widthOf).slice(0, Math.max(1, count - maxSingleLines));
  const rest = lines.reduce((left, { length }) => left.slice(length).trimStart(), line);
  const restStart = line.length - rest.length;
  const widthOfRest: WidthOf = (text, start) => widthOf(text, restStart + start);
  return [...lines, ...wrapEvenly(rest, { minWidth, maxWidth: narrowest }, widthOfRest)];
}

/** The number of halvings in a binary search: to less than a hundredth of the range. */
const defaultSteps = 7;

/** The largest value that fits, between one that fits and one that does not. */
export function largest(fits: (value: number) => boolean, low: number, high: number, steps = defaultSteps): number {
  let [fitting, tooLarge] = [low, high];
  for (let step = 0; step < steps; step++) {
    const middle = (fitting + tooLarge) / 2;
    if (fits(middle)) fitting = middle;
    else tooLarge = middle;
  }
  return fitting;
}
