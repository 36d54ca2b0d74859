import { visualRuns } from "./bidi-runs.ts";
import {
  cutText,
  type Pen,
  type RunStyle,
  type StyledPart,
  shapedParts,
  type TextLine,
  type TextRun,
} from "./styled-text.ts";
import type { Range } from "./unit-ranges.ts";

/** A part of a line in one direction and one font. It is shaped as a whole; its parts lie where it has them. */
export type Stretch = Range & {
  readonly line: TextLine;
  readonly direction: "ltr" | "rtl";
  readonly style: RunStyle;
  readonly x: number;
  readonly width: number;
  /** The advance from the stretch's start to an index of the line's text. */
  readonly advanceTo: (index: number) => number;
  readonly measure: (text: string) => number;
};

/** The stretches of a line, from left to right. */
export function stretchesOf(line: TextLine, pen: Pen): readonly Stretch[] {
  const parts = shapedParts(line.parts);
  const stretches: Stretch[] = [];
  let x = line.x;
  for (const { start, end, level } of visualRuns(line.text, line.direction)) {
    const direction = level % 2 === 1 ? "rtl" : "ltr";
    const inside = parts.filter((part) => part.start < end && part.end > start);
    for (const part of direction === "rtl" ? inside.toReversed() : inside) {
      const range = { start: Math.max(start, part.start), end: Math.min(end, part.end) };
      const measure = (text: string) => pen(text, part.style, direction);
      const advanceTo = advances(line.text, range, measure);
      const width = advanceTo(range.end);
      stretches.push({ ...range, line, direction, style: part.style, x, width, advanceTo, measure });
      x += width;
    }
  }
  return stretches;
}

/** Longer stretches are measured in chunks: the time for all prefixes grows with the square of the length. */
const chunkLength = 128;

function advances(line: string, { start, end }: Range, measure: (text: string) => number): (index: number) => number {
  const anchors: { readonly index: number; readonly advance: number }[] = [{ index: start, advance: 0 }];
  const known = new Map<number, number>();
  const measureTo = (from: number, to: number) => measure(cutText(line, from, to));
  for (let at = start; end - at > 2 * chunkLength; ) {
    const next = chunkEnd(line, at, end);
    if (next >= end) break;
    anchors.push({ index: next, advance: anchors.at(-1)!.advance + measureTo(at, next) });
    at = next;
  }
  return (index) => {
    const found = known.get(index);
    if (found !== undefined) return found;
    const anchor = anchors.findLast((candidate) => candidate.index <= index) ?? anchors[0]!;
    const advance = anchor.advance + (index > anchor.index ? measureTo(anchor.index, index) : 0);
    known.set(index, advance);
    return advance;
  };
}

/** The index after the next space, or of another place that splits no grapheme of two code units. */
function chunkEnd(line: string, start: number, end: number): number {
  const space = line.indexOf(" ", start + chunkLength);
  if (space !== -1 && space < Math.min(end, start + 2 * chunkLength)) return space + 1;
  let index = start + chunkLength;
  while (index < end && /^[\p{M}\p{Default_Ignorable_Code_Point}\uDC00-\uDFFF]/u.test(line.slice(index))) index++;
  return index;
}

/** The runs in a range of a line, one for each stretch and style in it, from left to right. */
export function cutRuns(stretches: readonly Stretch[], { start, end }: Range): readonly TextRun[] {
  return stretches.flatMap((stretch) => {
    const inside = stretch.line.parts.filter((part) => part.start < stretch.end && part.end > stretch.start);
    const parts = stretch.direction === "rtl" ? inside.toReversed() : inside;
    return parts.flatMap((part) => cutRun(stretch, part, { start, end }));
  });
}

function cutRun(stretch: Stretch, part: StyledPart, range: Range): readonly TextRun[] {
  const start = Math.max(stretch.start, part.start, range.start);
  const end = Math.min(stretch.end, part.end, range.end);
  if (start >= end) return [];
  const { line, direction } = stretch;
  const text = line.text.slice(start, end);
  // a run without spaces around it lies at its place in both directions
  const textStart = start + (text.length - text.trimStart().length);
  const textEnd = Math.max(textStart, start + text.trimEnd().length);
  const cut = cutText(line.text, textStart, textEnd);
  const [left, right] = extentOf(stretch, start, end);
  const x = direction === "ltr" ? startOf(stretch, textEnd, cut) : extentOf(stretch, textStart, textEnd)[0];
  const first = Math.min(left, x);
  const width = Math.max(0, right - first);
  return [{ text: cut, direction, x, left: first, width, baseline: line.baseline, style: part.style }];
}

/** Kerning shortens the advance of the left glyph of a pair: the right one begins where its own advance ends there. */
const startOf = ({ x, advanceTo, measure }: Stretch, end: number, text: string): number =>
  x + advanceTo(end) - measure(text);

function extentOf({ x, width, direction, advanceTo }: Stretch, start: number, end: number): readonly [number, number] {
  const [first, last] = [advanceTo(start), advanceTo(end)];
  return direction === "ltr" ? [x + first, x + last] : [x + width - last, x + width - first];
}
