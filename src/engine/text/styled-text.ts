import { createCanvas, type SKRSContext2D } from "@napi-rs/canvas";
import type { TextSpan, TextStyle } from "../timeline/overlay.ts";
import type { TextFont, TextFonts } from "./fonts/fonts.ts";

/** What decides how glyphs of a part of a text look. */
export type RunStyle = Pick<TextStyle, "fontSize" | "letterSpacing" | "italic"> & {
  readonly fonts: TextFont;
  /** Runs of the same key are shaped as one. */
  readonly key: string;
  readonly span?: TextSpan;
};

/** A part of a line or paragraph in one style, as indices into its text. */
export type StyledPart = { readonly start: number; readonly end: number; readonly style: RunStyle };

/** The parts cover the text, in its order; there is at least one. */
export type Paragraph = { readonly text: string; readonly parts: readonly StyledPart[] };

/** A part of a line that is painted at once. Positions are relative to the top-left corner of the layout. */
export type TextRun = {
  readonly text: string;
  readonly direction: "ltr" | "rtl";
  readonly x: number;
  readonly baseline: number;
  readonly style: RunStyle;
  /** Its extent, which spaces around the text belong to. */
  readonly left: number;
  readonly width: number;
};

/** A laid-out line. */
export type TextLine = {
  readonly text: string;
  readonly direction: "ltr" | "rtl";
  readonly parts: readonly StyledPart[];
  readonly x: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  readonly baseline: number;
  readonly runs: readonly TextRun[];
};

/** Sets fonts and spacing on a context, equally for measuring and painting. */
export function applyFonts(
  context: SKRSContext2D,
  style: Pick<TextStyle, "fontSize" | "letterSpacing" | "italic">,
  { families, weight, rendering }: TextFont,
): void {
  context.font = `${style.italic ? "italic " : ""}${weight} ${style.fontSize}px ${families}`;
  context.letterSpacing = `${style.letterSpacing}px`;
  context.textAlign = "left";
  context.textBaseline = "alphabetic";
  context.textRendering = rendering;
  // without it, glyph variants depend on the system's locale
  context.lang = "en";
}

/** Scripts whose letters join: the canvas does not space them. */
export const cursiveScripts = /[\p{sc=Arabic}\p{sc=Syriac}\p{sc=Mongolian}\p{sc=Nko}\p{sc=Adlam}]/u;

const joiner = "\u200D";
const endsJoined = /[\p{sc=Arabic}\p{sc=Syriac}\p{sc=Mongolian}\p{sc=Nko}\p{sc=Adlam}]\p{M}*$/u;
const beginsJoined = /^[\p{M}\p{sc=Arabic}\p{sc=Syriac}\p{sc=Mongolian}\p{sc=Nko}\p{sc=Adlam}]/u;

/** True between two letters of a cursive script: each keeps its joined form if a joiner follows or precedes it. */
const joinsAt = (line: string, index: number): boolean =>
  index > 0 &&
  index < line.length &&
  endsJoined.test(line.slice(Math.max(0, index - 16), index)) &&
  beginsJoined.test(line.slice(index, index + 2));

/** A part of a line whose first and last letters have the forms that they have in the line. */
export const cutText = (line: string, start: number, end: number): string =>
  `${joinsAt(line, start) ? joiner : ""}${line.slice(start, end)}${joinsAt(line, end) ? joiner : ""}`;

/** Returns the advance of a text in a style. */
export type Pen = (text: string, style: RunStyle, direction?: "ltr" | "rtl") => number;

/** Measures texts; keeps one context for each style, because setting a font takes longer than measuring. */
export function createPen(): Pen {
  const contexts = new Map<string, SKRSContext2D>();
  return (text, style, direction = "ltr") => {
    if (text === "") return 0;
    let context = contexts.get(style.key);
    if (!context) {
      context = createCanvas(1, 1).getContext("2d");
      applyFonts(context, style, style.fonts);
      contexts.set(style.key, context);
    }
    context.direction = direction;
    return context.measureText(text).width;
  };
}

/** The paragraphs of a text without tabs and control characters, and the style of each part. */
export function splitParagraphs(
  text: string,
  style: TextStyle,
  fonts: TextFonts,
  spans: readonly TextSpan[] | undefined,
): readonly Paragraph[] {
  if (!spans || spans.length === 0) {
    const whole = runStyle(style, fonts);
    return splitLines(text).map((line) => ({ text: line, parts: [{ start: 0, end: line.length, style: whole }] }));
  }
  const styles = spans.map((span, index) => runStyle(style, fonts.spans?.[index] ?? fonts, span));
  return styledLines(spans, styles);
}

const lineBreak = /\r\n|[\n\r\v\f\x85\u2028\u2029]/u;

const splitLines = (text: string): string[] => text.split(lineBreak).map(cleaned);

const cleaned = (line: string): string => line.replaceAll("\t", "    ").replaceAll(/\p{Cc}/gu, "");

function runStyle(style: TextStyle, fonts: TextFont, span?: TextSpan): RunStyle {
  const { letterSpacing } = style;
  const fontSize = span?.fontSize ?? style.fontSize;
  const italic = span?.italic ?? style.italic ?? false;
  const key = JSON.stringify([fonts.families, fonts.weight, fonts.rendering, fontSize, italic]);
  return { fontSize, letterSpacing, italic, fonts, key, ...(span && { span }) };
}

function styledLines(spans: readonly TextSpan[], styles: readonly RunStyle[]): readonly Paragraph[] {
  const paragraphs: { text: string; parts: StyledPart[] }[] = [{ text: "", parts: [] }];
  for (const [index, span] of spans.entries()) {
    const style = styles[index]!;
    // a line break of two characters may lie in two spans
    const isSecondHalf = span.text.startsWith("\n") && spans[index - 1]?.text.endsWith("\r");
    for (const [number, line] of splitLines(isSecondHalf ? span.text.slice(1) : span.text).entries()) {
      if (number > 0) paragraphs.push({ text: "", parts: [] });
      const paragraph = paragraphs.at(-1)!;
      const start = paragraph.text.length;
      paragraph.text += line;
      if (line !== "" || paragraph.parts.length === 0) {
        paragraph.parts.push({ start, end: paragraph.text.length, style });
      }
    }
  }
  return paragraphs;
}

/** The parts of a text between two indices, relative to the first one. */
export function partsBetween(parts: readonly StyledPart[], start: number, end: number): readonly StyledPart[] {
  const inside = parts
    .filter((part) => part.start < end && part.end > start)
    .map((part) => ({ ...part, start: Math.max(part.start, start) - start, end: Math.min(part.end, end) - start }));
  if (inside.length > 0) return inside;
  const nearest = parts.find((part) => part.end >= start) ?? parts.at(-1)!;
  return [{ start: 0, end: 0, style: nearest.style }];
}

/** Joins adjacent parts that are shaped as one. */
export function shapedParts(parts: readonly StyledPart[]): readonly StyledPart[] {
  const joined: StyledPart[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (last && last.style.key === part.style.key) joined[joined.length - 1] = { ...last, end: part.end };
    else joined.push(part);
  }
  return joined;
}
