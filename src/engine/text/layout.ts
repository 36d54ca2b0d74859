import { createCanvas, type SKRSContext2D } from "@napi-rs/canvas";
import { type Box, union } from "../drawing/box.ts";
import type { TextSpan, TextStyle } from "../timeline/overlay.ts";
import { widestPiece, wrapAt, wrapEvenly } from "./even-lines.ts";
import type { TextFont, TextFonts } from "./fonts/fonts.ts";
import { splitGraphemes } from "./line-breaks.ts";
import { cutRuns, stretchesOf } from "./stretches.ts";
import {
  applyFonts,
  createPen,
  cursiveScripts,
  cutText,
  type Paragraph,
  type Pen,
  partsBetween,
  type RunStyle,
  type StyledPart,
  shapedParts,
  splitParagraphs,
  type TextLine,
  type TextRun,
} from "./styled-text.ts";

export { applyFonts, type TextLine, type TextRun };

export type TextLayout = {
  readonly width: number;
  readonly height: number;
  readonly lines: readonly TextLine[];
  /** The bounds may extend beyond the layout. */
  readonly glyphBounds: Box;
};

export function layOutText(
  text: string,
  style: TextStyle,
  fonts: TextFonts,
  spans?: readonly TextSpan[] | undefined,
): TextLayout {
  const pen = createPen();
  const paragraphs = splitParagraphs(text, style, fonts, spans);
  const widest = () => widestWord(spans ? paragraphs : [unsplit(text, paragraphs)], style.letterSpacing, pen);
  const measured = breakLines(paragraphs, style, pen, widest);
  const width = Math.max(...measured.map((line) => line.width));
  const heights = measured.map((line) => lineHeights(line.parts, style));
  const [first] = heights;
  const isUniform = heights.every(({ above, height }) => above === first?.above && height === first.height);
  let sum = 0;
  const lines = measured.map((line, index): TextLine => {
    const { above, height } = heights[index]!;
    const top = isUniform ? index * height : sum;
    sum += height;
    const x = leadingShare[style.align] * (width - line.width);
    const placed = { ...line, x, top, height, baseline: top + above, runs: [] };
    const runs = spans ? cutRuns(stretchesOf(placed, pen), { start: 0, end: line.text.length }) : [wholeRun(placed)];
    return { ...placed, runs: runs.flatMap((run) => splitWideRun(run, pen)) };
  });
  const height = isUniform ? lines.length * (first?.height ?? 0) : sum;
  return { width, height, lines, glyphBounds: glyphBoundsOf(lines.flatMap((line) => line.runs)) };
}

/** The canvas itself orders the directions of a line in one style. */
const wholeRun = ({ text, direction, x, width, baseline, parts }: TextLine): TextRun => ({
  text,
  direction,
  x,
  left: x,
  width,
  baseline,
  style: parts[0]!.style,
});

/** The share of a line's free width that lies to its left. */
const leadingShare = { left: 0, center: 0.5, right: 1 };

/** The height of a line of parts, and how much of it lies above its baseline. */
function lineHeights(parts: readonly StyledPart[], { lineHeight }: TextStyle) {
  const styles = [...new Set(parts.map((part) => part.style))].map(({ fontSize, fonts }) => {
    const above = (fontSize * (lineHeight + shiftOf(fonts))) / 2;
    return { above, height: fontSize * lineHeight };
  });
  if (styles.length === 1) return styles[0]!;
  const above = Math.max(...styles.map((style) => style.above));
  return { above, height: above + Math.max(...styles.map((style) => style.height - style.above)) };
}

const shiftContext = createCanvas(1, 1).getContext("2d");

const shiftOf = (fonts: TextFont): number => baselineShift(shiftContext, fonts);

/** Ascent minus descent of the first font, as a share of the font size. */
export function baselineShift(context: SKRSContext2D, { families, weight }: TextFont): number {
  // measured at 1000 px because the canvas rounds these metrics to whole pixels
  context.font = `${weight} 1000px ${families}`;
  const { fontBoundingBoxAscent, fontBoundingBoxDescent } = context.measureText("x");
  const clamp = (pixels: number) => Math.min(2000, Math.max(0, pixels));
  return (clamp(fontBoundingBoxAscent) - clamp(fontBoundingBoxDescent)) / 1000;
}

type MeasuredLine = Pick<TextLine, "text" | "direction" | "width" | "parts">;

function breakLines(
  paragraphs: readonly Paragraph[],
  style: TextStyle,
  pen: Pen,
  widest: () => number,
): readonly MeasuredLine[] {
  return paragraphs.flatMap((paragraph) => {
    const direction = baseDirection(paragraph.text);
    const widthOf = (text: string, start: number) => partWidth(paragraph, text, start, style.letterSpacing, pen);
    const lines: MeasuredLine[] = [];
    let start = 0;
    for (const text of breakParagraph(paragraph.text, style, widthOf, widest)) {
      // the spaces at which a line is broken belong to no line
      const skipped = /^\s*/u.exec(paragraph.text.slice(start))![0].length;
      if (!paragraph.text.startsWith(text, start)) start += skipped;
      const parts = partsBetween(paragraph.parts, start, start + text.length);
      lines.push({ text, direction, parts, width: widthOf(text, start) });
      start += text.length;
    }
    return lines;
  });
}

type WidthOf = (text: string, start: number) => number;

function breakParagraph(text: string, style: TextStyle, widthOf: WidthOf, widest: () => number): readonly string[] {
  const { maxWidth, maxWordWidth, wrap } = style;
  if (maxWidth === undefined || wrap === false) return [text];
  if (maxWordWidth === undefined) return wrapAt(text, maxWidth, widthOf);
  const minWidth = Math.min(widest(), maxWordWidth);
  return wrapEvenly(text, { minWidth, maxWidth: Math.max(maxWidth, minWidth) }, widthOf);
}

/** A text in one style as it was given, line breaks and control characters included. */
const unsplit = (text: string, [first]: readonly Paragraph[]): Paragraph => ({ text, parts: first!.parts });

/** The width of the widest part of a text in which no line may break. */
export function widestUnbroken(text: string, style: TextStyle, fonts: TextFonts, spans?: readonly TextSpan[]): number {
  const paragraphs = splitParagraphs(text, style, fonts, spans);
  return widestWord(spans ? paragraphs : [unsplit(text, paragraphs)], 0, createPen());
}

function widestWord(paragraphs: readonly Paragraph[], letterSpacing: number, pen: Pen): number {
  const widths = paragraphs.map((paragraph) =>
    widestPiece(paragraph.text, (text, start) => partWidth(paragraph, text, start, letterSpacing, pen)),
  );
  return Math.max(0, ...widths);
}

/** The advance of a part of a line without the letter spacing after its last letter, which would shift its center. */
function partWidth({ parts }: Paragraph, text: string, start: number, letterSpacing: number, pen: Pen): number {
  const inside = parts.length === 1 ? undefined : shapedParts(partsBetween(parts, start, start + text.length));
  const width = inside
    ? inside.reduce((sum, part) => sum + joinedWidth(cutText(text, part.start, part.end), part.style, pen), 0)
    : pen(text, parts[0]!.style);
  return Math.max(0, text === "" || cursiveScripts.test(text) ? width : width - letterSpacing);
}

/** The maximum width of a run in pixels: the canvas draws nothing beyond 100,000 pixels. */
const maxRunWidth = 30_000;

/** The joiners at the ends of a text join only if they have the direction of the letters. */
const joinedWidth = (text: string, style: RunStyle, pen: Pen): number =>
  pen(text, style, rightToLeft.test(text) ? "rtl" : "ltr");

/** Splits a run that is too wide for the canvas into adjacent ones. */
function splitWideRun(run: TextRun, pen: Pen): readonly TextRun[] {
  if (run.width <= maxRunWidth) return [run];
  const graphemes = splitGraphemes(run.text);
  const count = Math.max(1, Math.floor((graphemes.length * maxRunWidth) / run.width));
  let along = 0;
  return Array.from({ length: Math.ceil(graphemes.length / count) }, (_, index) => {
    const text = graphemes.slice(index * count, (index + 1) * count).join("");
    const width = pen(text, run.style, run.direction);
    along += width;
    const x = run.x + (run.direction === "ltr" ? along - width : run.width - along);
    return { ...run, text, x, left: x, width };
  });
}

const rightToLeft =
  /[\u200F\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Syriac}\p{sc=Thaana}\p{sc=Nko}\p{sc=Samaritan}\p{sc=Mandaic}\p{sc=Adlam}]/u;

/** The direction of the first letter or directional mark (LRM, RLM). */
export function baseDirection(paragraph: string): TextRun["direction"] {
  const strong = /[\p{L}\u200E\u200F]/u.exec(paragraph)?.[0] ?? "";
  return rightToLeft.test(strong) ? "rtl" : "ltr";
}

/** The smallest box around the glyphs of runs. */
export function glyphBoundsOf(runs: readonly TextRun[]): Box {
  const context = createCanvas(1, 1).getContext("2d");
  let applied: string | undefined;
  return union(
    runs.map(({ text, direction, x, baseline, style }) => {
      if (applied !== style.key) applyFonts(context, style, style.fonts);
      applied = style.key;
      context.direction = direction;
      const measured = context.measureText(text);
      return {
        x: x - measured.actualBoundingBoxLeft,
        y: baseline - measured.actualBoundingBoxAscent,
        width: measured.actualBoundingBoxLeft + measured.actualBoundingBoxRight,
        height: measured.actualBoundingBoxAscent + measured.actualBoundingBoxDescent,
      };
    }),
  );
}
