import type { SKRSContext2D } from "@napi-rs/canvas";
import { type Box, grow, type Point } from "../../../engine/drawing/box.ts";
import { renderDrawing } from "../../../engine/drawing/drawing.ts";
import { resolveFonts, type TextFont } from "../../../engine/text/fonts/fonts.ts";
import { layOutText, type TextLayout } from "../../../engine/text/layout.ts";
import { splitGraphemes } from "../../../engine/text/line-breaks.ts";
import { drawText } from "../../../engine/text/text.ts";
import type { TextStyle } from "../../../engine/timeline/overlay.ts";
import type { Color } from "../../../platform/colors.ts";
import type { CaptionText } from "./caption-text.ts";
import { black, type ColorScheme, contrast, toCss, white } from "./color-schemes.ts";
import type { FrameLayout } from "./layout.ts";

/** WCAG AA for normal text. */
const minContrast = 4.5;

/** Paints bar, label and caption into the layout's caption area, in the most readable color. */
export async function paintCaption(
  context: SKRSContext2D,
  frame: FrameLayout,
  scheme: ColorScheme,
  { label, caption }: CaptionText,
): Promise<void> {
  const fitted = caption === "" ? undefined : await fitCaption(caption, frame, label !== "");
  if (!fitted) return;
  const { fontSize } = fitted.style;
  const isRightToLeft = fitted.layout.lines[0]?.direction === "rtl";
  const fittedLabel = label === "" ? undefined : await fitLabel(label, fontSize);
  const leftOf = (width: number) => (isRightToLeft ? frame.width - frame.caption.x - width : frame.caption.x);

  const barHeight = Math.max(1, Math.round(fontSize * 0.16));
  const labelTop = frame.caption.y + barHeight * 4.5;
  const top = labelTop + (fittedLabel ? fittedLabel.layout.height + barHeight * 1.5 : 0);
  const { width, height } = fitted.layout;
  const area = grow({ x: leftOf(width), y: labelTop, width, height: top + height - labelTop }, fontSize * 0.35);
  const ink = findInk(context, area, scheme) ?? paintCard(context, area, scheme, fontSize);
  context.fillStyle = toCss(ink);
  context.fillRect(leftOf(fontSize * 1.6), frame.caption.y, fontSize * 1.6, barHeight);
  if (fittedLabel) paintText(context, { x: leftOf(fittedLabel.layout.width), y: labelTop }, fittedLabel, ink);
  const align = isRightToLeft ? "right" : "left";
  paintText(context, { x: leftOf(width), y: top }, { ...fitted, style: { ...fitted.style, align } }, ink);
}

function paintText(
  context: SKRSContext2D,
  { x, y }: Point,
  { text, style, fonts }: FittedText,
  fontColor: Color,
): void {
  const anchor = { at: "top_left" as const, x, y };
  const drawing = drawText({ kind: "text", text, style: { ...style, fontColor }, anchor }, fonts);
  const { width, height } = context.canvas;
  const rendered = renderDrawing(drawing, 0, { x: 0, y: 0, width, height });
  if (rendered) context.drawImage(rendered.bitmap, rendered.box.x, rendered.box.y);
}

/** The first color that is readable on the whole area; undefined if there is none. */
function findInk(context: SKRSContext2D, area: Box, { light, dark }: ColorScheme): Color | undefined {
  const background = sampleColors(context, area);
  const worstContrast = (ink: Color) => Math.min(...background.map((color) => contrast(ink, color)));
  const inks = [light, dark].sort((a, b) => worstContrast(b) - worstContrast(a));
  return [...inks, white, black].find((ink) => worstContrast(ink) >= minContrast);
}

/** Samples a grid of 24 × 24 points: enough, because the shapes are large and smooth. */
function sampleColors(context: SKRSContext2D, area: Box): readonly Color[] {
  const { canvas } = context;
  const x = Math.max(0, Math.floor(area.x));
  const y = Math.max(0, Math.floor(area.y));
  const width = Math.max(1, Math.min(canvas.width - x, Math.ceil(area.width)));
  const height = Math.max(1, Math.min(canvas.height - y, Math.ceil(area.height)));
  const { data } = context.getImageData(x, y, width, height);
  const count = 24;
  return Array.from({ length: count * count }, (_, index) => {
    const column = Math.floor(((index % count) * (width - 1)) / (count - 1));
    const row = Math.floor((Math.floor(index / count) * (height - 1)) / (count - 1));
    const at = 4 * (row * width + column);
    return { red: data[at]!, green: data[at + 1]!, blue: data[at + 2]!, alpha: 1 };
  });
}

/** Paints a plain background behind the text and returns the ink for it. */
function paintCard(context: SKRSContext2D, area: Box, { dark, light }: ColorScheme, fontSize: number): Color {
  context.fillStyle = toCss(dark);
  context.beginPath();
  context.roundRect(area.x, area.y, area.width, area.height, fontSize * 0.3);
  context.fill();
  return contrast(light, dark) >= minContrast ? light : white;
}

const maxLines = 5;

/** The minimum in pixels; smaller text is illegible. */
const minFontSize = 5;

type FittedText = {
  readonly text: string;
  readonly style: TextStyle;
  readonly layout: TextLayout;
  readonly fonts: TextFont;
};

/** The label's font size relative to the caption's. */
const labelScale = 0.66;

/** Upper case; letter-spaced, except in scripts with joined letters. */
async function fitLabel(label: string, captionFontSize: number): Promise<FittedText> {
  const fontSize = captionFontSize * labelScale;
  const text = label.toUpperCase();
  const canSpace = /^[\p{sc=Latin}\p{sc=Cyrillic}\p{sc=Greek}\p{sc=Common}]+$/u.test(text);
  const style = { ...captionStyle, fontSize, fontWeight: 700, letterSpacing: canSpace ? fontSize * 0.12 : 0 };
  const fonts = await resolveFonts(text, style, noProjectFonts);
  return { text, style, fonts, layout: layOutText(text, style, fonts) };
}

const noProjectFonts = async (): Promise<string> => {
  throw new Error("A storyboard uses no project fonts.");
};

const captionStyle = {
  fontColor: white,
  fontWeight: 600,
  align: "left",
  lineHeight: 1.28,
  letterSpacing: 0,
} as const;

/** Finds the largest font size that fits; shortens the text if it is too long for the smallest. */
async function fitCaption(text: string, frame: FrameLayout, hasLabel: boolean): Promise<FittedText | undefined> {
  const scale = Math.sqrt(frame.width * frame.height);
  const largest = Math.max(8, scale * 0.041);
  const smallest = Math.max(minFontSize, scale * 0.024);
  const { width: maxWidth, height: maxHeight } = frame.caption;
  const fonts = await resolveFonts(text, captionStyle, noProjectFonts);
  const layOutAt = (fontSize: number, words: string): FittedText => {
    const style = { ...captionStyle, fontSize, maxWidth };
    return { text: words, style, fonts, layout: layOutText(words, style, fonts) };
  };
  // bar and label above the caption, in font sizes
  const spaceAbove = 0.75 + (hasLabel ? labelScale * captionStyle.lineHeight + 0.25 : 0);
  const fits = ({ layout, style }: FittedText) =>
    layout.lines.length <= maxLines && layout.height + style.fontSize * spaceAbove <= maxHeight;
  for (let size = largest; size >= smallest; size *= 0.94) {
    const fitted = layOutAt(size, text);
    if (fits(fitted)) return balanceLines(fitted);
  }
  return truncate(text, (words) => layOutAt(smallest, words), fits);
}

/** Finds the smallest width with the same line count (binary search), so that no line holds a single word. */
function balanceLines(fitted: FittedText): FittedText {
  const { text, style, fonts, layout } = fitted;
  let tooNarrow = layout.width / layout.lines.length;
  let wideEnough = style.maxWidth!;
  let best = fitted;
  while (wideEnough - tooNarrow > style.fontSize / 4) {
    const maxWidth = (tooNarrow + wideEnough) / 2;
    const candidate = layOutText(text, { ...style, maxWidth }, fonts);
    if (candidate.lines.length > layout.lines.length || candidate.width > maxWidth + 1) tooNarrow = maxWidth;
    else {
      wideEnough = maxWidth;
      best = { ...fitted, style: { ...style, maxWidth }, layout: candidate };
    }
  }
  return best;
}

/** Keeps as many whole words as fit (binary search), plus an ellipsis. Undefined if not even one character fits. */
function truncate(
  text: string,
  layOut: (words: string) => FittedText,
  fits: (fitted: FittedText) => boolean,
): FittedText | undefined {
  const graphemes = splitGraphemes(text);
  let fitting = 0;
  let tooMany = graphemes.length;
  while (tooMany - fitting > 1) {
    const middle = Math.floor((fitting + tooMany) / 2);
    if (fits(layOut(`${graphemes.slice(0, middle).join("")}…`))) fitting = middle;
    else tooMany = middle;
  }
  if (fitting === 0) return undefined;
  const endsWithWord = graphemes[fitting] === " ";
  return layOut(`${cutAtBoundary(graphemes.slice(0, fitting).join(""), endsWithWord)}…`);
}

/** Cuts after the last clause if that keeps three quarters of the text, else after the last whole word. */
function cutAtBoundary(text: string, endsWithWord: boolean): string {
  const clauses = /^.*[^\s\p{P}](?=[,;:.!?،、。，；：！？])/su.exec(text)?.[0] ?? "";
  if (clauses.length > 0.75 * text.length) return clauses;
  const words = endsWithWord ? text : text.replace(/\s\S{0,24}$/u, "");
  return words.replace(/[\s\p{P}]+$/u, "");
}
