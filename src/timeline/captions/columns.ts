import type { CaptionStyle } from "./track.ts";

type Size = { readonly width: number; readonly height: number };

/** Apps show frames full screen, with their buttons at the right edge, from this ratio of height to width. */
const fullScreenRatio = 1.6;

/** The share of the canvas's width that lines may take. */
export const captionWidth = ({ keepsSafeZone }: Pick<CaptionStyle, "keepsSafeZone">, { width, height }: Size): number =>
  width * (keepsSafeZone && height / width >= fullScreenRatio ? 0.64 : 0.86);

/** In pixels of the canvas. */
export const captionFontSize = ({ fontSize }: Pick<CaptionStyle, "fontSize">, { width, height }: Size): number =>
  (fontSize ?? (height > width ? 0.07 : 0.055)) * Math.min(width, height);

/** The mean advance of a letter in bold text, as a share of the font size. */
const columnShare = { mixed: 0.53, uppercase: 0.64 };

/** How many letters a line takes; a Chinese, Japanese or Korean character counts as two. */
export function captionColumns(style: CaptionStyle, canvas: Size): number {
  const share = style.isUppercase ? columnShare.uppercase : columnShare.mixed;
  return Math.max(4, Math.floor(captionWidth(style, canvas) / (captionFontSize(style, canvas) * share)));
}
