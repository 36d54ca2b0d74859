import type { Color } from "../../../platform/colors.ts";
import type { Canvas } from "../canvas.ts";
import type { CaptionTextStyle } from "../overlay.ts";
import { captionFontSize } from "./columns.ts";
import type { CaptionStyle, CaptionTrack } from "./track.ts";

const white: Color = { red: 255, green: 255, blue: 255, alpha: 1 };
const black: Color = { red: 0, green: 0, blue: 0, alpha: 1 };
const yellow: Color = { red: 255, green: 214, blue: 10, alpha: 1 };
const violet: Color = { red: 124, green: 58, blue: 237, alpha: 1 };

/** Shares of the font size. */
const strokeShare = 0.075;
const padding = { lines: 0.32, word: 0.16 };
const radius = { lines: 0.26, word: 0.2 };

/** Scripts whose marks above and below the letters need room. */
const tallScripts =
  /[\p{sc=Arabic}\p{sc=Devanagari}\p{sc=Bengali}\p{sc=Gurmukhi}\p{sc=Gujarati}\p{sc=Oriya}\p{sc=Tamil}\p{sc=Telugu}\p{sc=Kannada}\p{sc=Malayalam}\p{sc=Sinhala}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\p{sc=Tibetan}]/u;

/** The appearance of a style on a canvas, with the colors of the request or its own. */
export function captionTextStyle({ content, style, language }: CaptionTrack, canvas: Canvas): CaptionTextStyle {
  const { font, fontFamily, fontWeight, colors } = style;
  const words = content.kind === "words" ? content.words : content.cues.flatMap(({ lines }) => lines.flat());
  const text = words.map((word) => word.text).join(" ");
  const fontSize = captionFontSize(style, canvas);
  const color = colors.text ?? white;
  const activeBackground = boxOf(activeBackgroundOf(style), {
    padding: padding.word * fontSize,
    radius: radius.word * fontSize,
  });
  return {
    fontSize,
    font,
    fontFamily,
    fontWeight,
    color,
    activeColor: colors.active ?? (style.kind === "karaoke" ? yellow : color),
    stroke: strokeOf(style, fontSize),
    background: boxOf(backgroundOf(style), { padding: padding.lines * fontSize, radius: radius.lines * fontSize }),
    activeBackground,
    // also while a word grows
    ...(style.kind === "pop" && activeBackground && { strokesActive: true }),
    lineHeight: tallScripts.test(text) ? 1.5 : 1.24,
    language: language ?? languageOf(text),
  };
}

/** A background box already provides contrast: letters get a stroke as well only on request. */
function strokeOf({ kind, colors }: CaptionStyle, fontSize: number): CaptionTextStyle["stroke"] {
  const color = colors.stroke ?? (kind === "box" || colors.background ? undefined : black);
  return color && color.alpha > 0 ? { color, width: strokeShare * fontSize } : undefined;
}

const backgroundOf = ({ kind, colors }: CaptionStyle): Color | undefined =>
  colors.background ?? (kind === "box" ? { ...black, alpha: 0.72 } : undefined);

const activeBackgroundOf = ({ kind, colors }: CaptionStyle): Color | undefined =>
  colors.activeBackground ?? (kind === "highlight" ? violet : undefined);

type BoxShape = { readonly padding: number; readonly radius: number };

const boxOf = (color: Color | undefined, shape: BoxShape): CaptionTextStyle["background"] =>
  color && color.alpha > 0 ? { color, ...shape } : undefined;

/** Han characters differ in Japanese and Korean, also on a page without other characters of the language. */
function languageOf(text: string): string | undefined {
  if (/[\p{sc=Hiragana}\p{sc=Katakana}]/u.test(text)) return "ja";
  return /\p{sc=Hangul}/u.test(text) ? "ko" : undefined;
}
