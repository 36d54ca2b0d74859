import type { Canvas } from "../canvas.ts";
import type { Box } from "../overlay.ts";
import { frameZoneOf, isFullScreen, safeZoneOf } from "../safe-zone.ts";
import type { CaptionStyle } from "./track.ts";

/** The zone of captions: the safe zone, or the frame except its edges. */
export const captionZone = ({ keepsSafeZone }: Pick<CaptionStyle, "keepsSafeZone">, canvas: Canvas): Box =>
  keepsSafeZone ? safeZoneOf(canvas) : frameZoneOf(canvas);

/** The maximum width of lines, in pixels: they are centered in the frame, even if the zone is off its center. */
export function captionWidth(style: Pick<CaptionStyle, "keepsSafeZone">, canvas: Canvas): number {
  const { x, width } = captionZone(style, canvas);
  return canvas.width - 2 * Math.max(x, canvas.width - x - width);
}

/** Shares of the shorter side: 86 pixels of 1080 × 1920, 65 of the others at 1080. */
const usualFontSize = { fullScreen: 0.08, other: 0.06 };

/** The font size in pixels of the canvas. */
export function captionFontSize({ fontSize }: Pick<CaptionStyle, "fontSize">, canvas: Canvas): number {
  const usual = isFullScreen(canvas) ? usualFontSize.fullScreen : usualFontSize.other;
  return (fontSize ?? usual) * Math.min(canvas.width, canvas.height);
}

/** The mean advance of a letter in bold text, as a share of the font size. */
const columnShare = { mixed: 0.56, uppercase: 0.68 };

/** Longer lines are hard to read at a glance. */
const maxColumns = 40;

/** The letters that fit on a line; a Chinese, Japanese or Korean character counts as two. */
export function captionColumns(style: CaptionStyle, canvas: Canvas): number {
  const share = style.isUppercase ? columnShare.uppercase : columnShare.mixed;
  const fitting = Math.floor(captionWidth(style, canvas) / (captionFontSize(style, canvas) * share));
  return Math.max(4, Math.min(maxColumns, fitting));
}
