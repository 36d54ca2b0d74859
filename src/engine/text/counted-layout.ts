import { union } from "../drawing/box.ts";
import { countedRange, countedText } from "./count.ts";
import { baseDirection, glyphBoundsOf, type TextLayout, type TextLine, type TextRun } from "./layout.ts";
import { cutRuns, stretchesOf } from "./stretches.ts";
import { createPen } from "./styled-text.ts";

export type Count = { readonly from: number; readonly progress: number };

/**
 * The layout of a text whose number counts: all lies where it lies at the end, and the number is centered in the place
 * of the final one.
 */
export function countedLayout(layout: TextLayout, { from, progress }: Count, language: string | undefined): TextLayout {
  const index = layout.lines.findIndex((line) => countedRange(line.text, language));
  const line = layout.lines[index];
  if (!line || progress >= 1) return layout;
  const lines = layout.lines.with(index, { ...line, runs: countedRuns(line, { from, progress }, language) });
  return { ...layout, lines, glyphBounds: glyphBoundsOf(lines.flatMap(({ runs }) => runs)) };
}

function countedRuns(line: TextLine, { from, progress }: Count, language: string | undefined): readonly TextRun[] {
  const range = countedRange(line.text, language);
  if (!range) return line.runs;
  const pen = createPen();
  const stretches = stretchesOf(line, pen);
  const number = cutRuns(stretches, range);
  const [first] = number;
  if (!first) return line.runs;
  const { x: left, width } = union(number.map((run) => ({ x: run.left, y: 0, width: run.width, height: 1 })));
  const text = countedText(line.text.slice(range.start, range.end), from, progress, language);
  const direction = baseDirection(text);
  const x = left + (width - pen(text, first.style, direction)) / 2;
  return [
    ...cutRuns(stretches, { start: 0, end: range.start }),
    { ...first, text, direction, x, left, width },
    ...cutRuns(stretches, { start: range.end, end: line.text.length }),
  ];
}
