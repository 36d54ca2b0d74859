import { resolveFonts, type TextFont } from "../../../engine/text/fonts/fonts.ts";
import { layOutText, type TextLayout } from "../../../engine/text/layout.ts";
import { splitGraphemes } from "../../../engine/text/line-breaks.ts";
import type { TextStyle } from "../../../engine/timeline/overlay.ts";
import { white } from "./color-schemes.ts";
import type { FrameLayout } from "./layout.ts";

const maxLines = 5;

/** The minimum in pixels; smaller text is illegible. */
const minFontSize = 5;

export type FittedText = {
  readonly text: string;
  readonly style: TextStyle;
  readonly layout: TextLayout;
  readonly fonts: TextFont;
};

/** The label's font size relative to the caption's. */
const labelScale = 0.66;

/** Upper case; letter-spaced, except in scripts with joined letters. */
export async function fitLabel(label: string, captionFontSize: number): Promise<FittedText> {
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
export async function fitCaption(text: string, frame: FrameLayout, hasLabel: boolean): Promise<FittedText | undefined> {
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
