import type { Canvas } from "./canvas.ts";
import type { Box } from "./overlay.ts";

/** Margins are fractions of a frame's sides. */
type Margins = { readonly top: number; readonly bottom: number; readonly left: number; readonly right: number };

/** Stories, Reels, Shorts and TikTok show frames full screen from this ratio of height to width. */
const fullScreenRatio = 1.6;

/**
 * The union of the areas that large apps cover, in pixels of 1080 × 1920. Google reserves 288 at the top, 672 at the
 * bottom, 48 at the left and 192 at the right of vertical ads in YouTube Shorts; Meta 14 % at the top, 35 % at the
 * bottom and 6 % at the sides of ads in Reels; templates for TikTok leave 120 at the left.
 */
const coveredByApps: Margins = { top: 288 / 1920, bottom: 672 / 1920, left: 120 / 1080, right: 192 / 1080 };

/** Apps show other frames beside their buttons: the graphics safe area of EBU R 95. */
const graphicsMargins: Margins = { top: 0.05, bottom: 0.05, left: 0.05, right: 0.05 };

/** Less than the apps cover: overlays made for another aspect ratio need more room, and would shrink. */
const movedOverlayMargins: Margins = { top: 0.12, bottom: 0.2, left: 0.05, right: 0.05 };

export const isFullScreen = ({ width, height }: Canvas): boolean => height / width >= fullScreenRatio;

/** The part of the canvas that no app covers with its own buttons and texts. */
export const safeZoneOf = (canvas: Canvas): Box =>
  inside(canvas, isFullScreen(canvas) ? coveredByApps : graphicsMargins);

/** The part of the canvas that every screen shows, also where apps cover it. */
export const frameZoneOf = (canvas: Canvas): Box => inside(canvas, graphicsMargins);

/** The part of the canvas to which overlays are moved that were placed on a canvas of another aspect ratio. */
export const movedOverlayZoneOf = (canvas: Canvas): Box =>
  inside(canvas, isFullScreen(canvas) ? movedOverlayMargins : graphicsMargins);

function inside({ width, height }: Canvas, { top, bottom, left, right }: Margins): Box {
  const x = Math.round(width * left);
  const y = Math.round(height * top);
  return { x, y, width: width - x - Math.round(width * right), height: height - y - Math.round(height * bottom) };
}
