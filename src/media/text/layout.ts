import { createCanvas, type SKRSContext2D } from "@napi-rs/canvas";
import type { TextStyle } from "../../timeline/overlay.ts";
import { type Box, union } from "../drawing/box.ts";
import type { TextFont } from "./fonts/fonts.ts";
import { clustersOf, wrap } from "./line-breaks.ts";

/** Positions count from the layout's top-left corner. */
export type TextLine = {
  readonly text: string;
  readonly direction: "ltr" | "rtl";
  readonly x: number;
  readonly baseline: number;
};

export type TextLayout = {
  readonly width: number;
  readonly height: number;
  readonly lines: readonly TextLine[];
  /** Where the glyphs are, which may lie outside the layout. */
  readonly glyphs: Box;
};

/** Sets the fonts and the spacing on a context: alike for measuring and for painting. */
export function applyFonts(
  context: SKRSContext2D,
  style: Pick<TextStyle, "fontSize" | "letterSpacing">,
  { families, weight, rendering }: TextFont,
): void {
  context.font = `${weight} ${style.fontSize}px ${families}`;
  context.letterSpacing = `${style.letterSpacing}px`;
  context.textAlign = "left";
  context.textBaseline = "alphabetic";
  context.textRendering = rendering;
  // without it the glyphs would follow the machine's own language
  context.lang = "en";
}

/** Lays a text out in lines. */
export function layOut(text: string, style: TextStyle, fonts: TextFont): TextLayout {
  const context = createCanvas(1, 1).getContext("2d");
  const baseline = (style.fontSize * (style.lineHeight + baselineShift(context, fonts))) / 2;
  applyFonts(context, style, fonts);

  const measured = paragraphsOf(text).flatMap((paragraph) => linesOf(paragraph, style, context));
  const width = Math.max(...measured.map((line) => line.width));
  const lineHeight = style.fontSize * style.lineHeight;
  const placed = measured.map((line, index) => ({
    ...line,
    x: freeShare[style.align] * (width - line.width),
    baseline: index * lineHeight + baseline,
  }));
  const lines = placed.flatMap((line) => splitWideLine(line, context));
  const glyphs = union(lines.map((line) => glyphsOf(line, context)));
  return { width, height: placed.length * lineHeight, lines, glyphs };
}

/** How much of a line's free width lies before it. */
const freeShare = { left: 0, center: 0.5, right: 1 };

/** By how much of the font size the first font's letters stand above the baseline rather than below it. */
function baselineShift(context: SKRSContext2D, { families, weight }: TextFont): number {
  // the canvas rounds what it measures to whole pixels
  context.font = `${weight} 1000px ${families}`;
  const { fontBoundingBoxAscent, fontBoundingBoxDescent } = context.measureText("x");
  const within = (pixels: number) => Math.min(2000, Math.max(0, pixels));
  return (within(fontBoundingBoxAscent) - within(fontBoundingBoxDescent)) / 1000;
}

const paragraphsOf = (text: string): string[] =>
  text
    .split(/\r\n|[\n\r\v\f\x85\u2028\u2029]/u)
    .map((paragraph) => paragraph.replaceAll("\t", "    ").replaceAll(/\p{Cc}/gu, ""));

type MeasuredLine = Pick<TextLine, "text" | "direction"> & { readonly width: number };

function linesOf(paragraph: string, style: TextStyle, context: SKRSContext2D): MeasuredLine[] {
  const direction = directionOf(paragraph);
  const { maxWidth } = style;
  const fits = (line: string) => advanceOf(line, style, context) <= maxWidth! + 0.01;
  const lines = maxWidth === undefined ? [paragraph] : wrap(paragraph, fits);
  return lines.map((line) => ({ text: line, direction, width: advanceOf(line, style, context) }));
}

/** In pixels. The canvas draws nothing of what lies 100,000 pixels along a line. */
const widestRun = 30_000;

/** A line too wide for the canvas as several that lie side by side. */
function splitWideLine(line: MeasuredLine & TextLine, context: SKRSContext2D): TextLine[] {
  if (line.width <= widestRun) return [line];
  const clusters = clustersOf(line.text);
  const count = Math.max(1, Math.floor((clusters.length * widestRun) / line.width));
  let along = 0;
  return Array.from({ length: Math.ceil(clusters.length / count) }, (_, index) => {
    const text = clusters.slice(index * count, (index + 1) * count).join("");
    const { width } = context.measureText(text);
    along += width;
    return { ...line, text, x: line.x + (line.direction === "ltr" ? along - width : line.width - along) };
  });
}

const rightToLeft =
  /[\u200F\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Syriac}\p{sc=Thaana}\p{sc=Nko}\p{sc=Samaritan}\p{sc=Mandaic}\p{sc=Adlam}]/u;

/** The first letter, or mark of direction, decides. */
function directionOf(paragraph: string): TextLine["direction"] {
  const strong = /[\p{L}\u200E\u200F]/u.exec(paragraph)?.[0] ?? "";
  return rightToLeft.test(strong) ? "rtl" : "ltr";
}

const joinedLetters = /[\p{sc=Arabic}\p{sc=Syriac}\p{sc=Mongolian}\p{sc=Nko}\p{sc=Adlam}]/u;

/** The width of a line without the space after its last letter, which would move its centre. */
function advanceOf(line: string, style: TextStyle, context: SKRSContext2D): number {
  const { width } = context.measureText(line);
  return Math.max(0, line === "" || joinedLetters.test(line) ? width : width - style.letterSpacing);
}

function glyphsOf({ text, direction, x, baseline }: TextLine, context: SKRSContext2D): Box {
  context.direction = direction;
  const measured = context.measureText(text);
  const [left, right] = [measured.actualBoundingBoxLeft, measured.actualBoundingBoxRight];
  const [above, below] = [measured.actualBoundingBoxAscent, measured.actualBoundingBoxDescent];
  return { x: x - left, y: baseline - above, width: left + right, height: above + below };
}
