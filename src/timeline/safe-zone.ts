import type { Box } from "./overlay.ts";
import type { Canvas } from "./timeline.ts";

/** Shares of a frame's sides that apps cover with their own buttons and captions. */
type Margins = { readonly top: number; readonly bottom: number; readonly sides: number };

/** Stories, Reels, Shorts and TikTok fill the screen with frames at least this much taller than wide. */
const fullScreen = 1.6;
const onFullScreen: Margins = { top: 0.12, bottom: 0.2, sides: 0.05 };
const elsewhere: Margins = { top: 0.05, bottom: 0.05, sides: 0.05 };

/** Where a text is never covered by the app that shows the film. */
export function safeZoneOf({ width, height }: Canvas): Box {
  const margins = height / width >= fullScreen ? onFullScreen : elsewhere;
  const [x, y] = [Math.round(width * margins.sides), Math.round(height * margins.top)];
  return { x, y, width: width - 2 * x, height: height - y - Math.round(height * margins.bottom) };
}
