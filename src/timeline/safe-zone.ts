import type { Box } from "./overlay.ts";
import type { Canvas } from "./timeline.ts";

/** Fractions of a frame's sides that apps cover with their own buttons and captions. */
type Margins = { readonly top: number; readonly bottom: number; readonly sides: number };

/** Stories, Reels, Shorts and TikTok show frames full screen from this ratio of height to width. */
const fullScreenRatio = 1.6;
const fullScreenMargins: Margins = { top: 0.12, bottom: 0.2, sides: 0.05 };
const otherMargins: Margins = { top: 0.05, bottom: 0.05, sides: 0.05 };

/** The part of the canvas that the playing app never covers. */
export function safeZoneOf({ width, height }: Canvas): Box {
  const margins = height / width >= fullScreenRatio ? fullScreenMargins : otherMargins;
  const x = Math.round(width * margins.sides);
  const y = Math.round(height * margins.top);
  return { x, y, width: width - 2 * x, height: height - y - Math.round(height * margins.bottom) };
}
