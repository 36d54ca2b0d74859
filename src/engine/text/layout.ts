import { createCanvas, type SKRSContext2D } from "@napi-rs/canvas";
import { type Box, union } from "../drawing/box.ts";
import type { TextStyle } from "../timeline/overlay.ts";
import { widestPiece, wrapAt, wrapEvenly } from "./even-lines.ts";
import type { TextFont } from "./fonts/fonts.ts";
import { splitGraphemes } from "./line-breaks.ts";

/** Positions are relative to the top-left corner of the layout. */
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
  /** The bounds may extend beyond the layout. */
  readonly glyphBounds: Box;
};

/** Sets fonts and spacing on a context, equally for measuring and painting. */
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
  // without it, glyph variants depend on the system's locale
  context.lang = "en";
}

export function layOutText(text: string, style: TextStyle, fonts: TextFont): TextLayout {
  const context = createCanvas(1, 1).getContext("2d");
  const baseline = (style.fontSize * (style.lineHeight + baselineShift(context, fonts))) / 2;
  applyFonts(context, style, fonts);

  const measured = breakLines(text, style, context);
  const width = Math.max(...measured.map((line) => line.width));
  const lineHeight = style.fontSize * style.lineHeight;
  const placed = measured.map((line, index) => ({
    ...line,
    x: leadingShare[style.align] * (width - line.width),
    baseline: index * lineHeight + baseline,
  }));
  const lines = placed.flatMap((line) => splitWideLine(line, context));
  const glyphBounds = union(lines.map((line) => boundsOfGlyphs(line, context)));
  return { width, height: placed.length * lineHeight, lines, glyphBounds };
}

/** The share of a line's free width that lies to its left. */
const leadingShare = { left: 0, center: 0.5, right: 1 };

/** Ascent minus descent of the first font, as a share of the font size. */
export function baselineShift(context: SKRSContext2D, { families, weight }: TextFont): number {
  // measured at 1000 px because the canvas rounds these metrics to whole pixels
  context.font = `${weight} 1000px ${families}`;
  const { fontBoundingBoxAscent, fontBoundingBoxDescent } = context.measureText("x");
  const clamp = (pixels: number) => Math.min(2000, Math.max(0, pixels));
  return (clamp(fontBoundingBoxAscent) - clamp(fontBoundingBoxDescent)) / 1000;
}

const splitParagraphs = (text: string): string[] =>
  text
    .split(/\r\n|[\n\r\v\f\x85\u2028\u2029]/u)
    .map((paragraph) => paragraph.replaceAll("\t", "    ").replaceAll(/\p{Cc}/gu, ""));

type MeasuredLine = Pick<TextLine, "text" | "direction"> & { readonly width: number };

function breakLines(text: string, style: TextStyle, context: SKRSContext2D): readonly MeasuredLine[] {
  const widthOf = (line: string) => lineWidth(line, style, context);
  const breakParagraph = paragraphBreaker(text, style, widthOf);
  return splitParagraphs(text).flatMap((paragraph) => {
    const direction = baseDirection(paragraph);
    return breakParagraph(paragraph).map((line) => ({ text: line, direction, width: widthOf(line) }));
  });
}

function paragraphBreaker(text: string, { maxWidth, maxWordWidth }: TextStyle, widthOf: (line: string) => number) {
  if (maxWidth === undefined) return (paragraph: string) => [paragraph];
  if (maxWordWidth === undefined) return (paragraph: string) => wrapAt(paragraph, maxWidth, widthOf);
  const minWidth = Math.min(widestPiece(text, widthOf), maxWordWidth);
  const widths = { minWidth, maxWidth: Math.max(maxWidth, minWidth) };
  return (paragraph: string) => wrapEvenly(paragraph, widths, widthOf);
}

/** The maximum width of a run in pixels: the canvas draws nothing beyond 100,000 pixels. */
const maxRunWidth = 30_000;

/** Splits a line that is too wide for the canvas into adjacent runs. */
function splitWideLine(line: MeasuredLine & TextLine, context: SKRSContext2D): TextLine[] {
  if (line.width <= maxRunWidth) return [line];
  const graphemes = splitGraphemes(line.text);
  const count = Math.max(1, Math.floor((graphemes.length * maxRunWidth) / line.width));
  let along = 0;
  return Array.from({ length: Math.ceil(graphemes.length / count) }, (_, index) => {
    const text = graphemes.slice(index * count, (index + 1) * count).join("");
    const { width } = context.measureText(text);
    along += width;
    return { ...line, text, x: line.x + (line.direction === "ltr" ? along - width : line.width - along) };
  });
}

const rightToLeft =
  /[\u200F\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Syriac}\p{sc=Thaana}\p{sc=Nko}\p{sc=Samaritan}\p{sc=Mandaic}\p{sc=Adlam}]/u;

/** The direction of the first letter or directional mark (LRM, RLM). */
export function baseDirection(paragraph: string): TextLine["direction"] {
  const strong = /[\p{L}\u200E\u200F]/u.exec(paragraph)?.[0] ?? "";
  return rightToLeft.test(strong) ? "rtl" : "ltr";
}

const cursiveScripts = /[\p{sc=Arabic}\p{sc=Syriac}\p{sc=Mongolian}\p{sc=Nko}\p{sc=Adlam}]/u;

/** The advance of a line without the letter spacing after its last letter, which would shift its center. */
function lineWidth(line: string, style: TextStyle, context: SKRSContext2D): number {
  const { width } = context.measureText(line);
  return Math.max(0, line === "" || cursiveScripts.test(line) ? width : width - style.letterSpacing);
}

function boundsOfGlyphs({ text, direction, x, baseline }: TextLine, context: SKRSContext2D): Box {
  context.direction = direction;
  const measured = context.measureText(text);
  return {
    x: x - measured.actualBoundingBoxLeft,
    y: baseline - measured.actualBoundingBoxAscent,
    width: measured.actualBoundingBoxLeft + measured.actualBoundingBoxRight,
    height: measured.actualBoundingBoxAscent + measured.actualBoundingBoxDescent,
  };
}
