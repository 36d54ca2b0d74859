import type { SKRSContext2D } from "@napi-rs/canvas";
import type { Box } from "../drawing/box.ts";
import type { MovePose } from "../motion/move-table.ts";

/** The width of the band, as a share of the longer side, and its slant. */
const widthShare = 0.3;
const slant = -0.35;

/** Brightens what is drawn along a slanted band that crosses the box from left to right. */
export function paintShine(
  context: SKRSContext2D,
  { x, y, width, height }: Box,
  { at, strength }: NonNullable<MovePose["shine"]>,
): void {
  const band = widthShare * Math.max(width, height);
  const reach = Math.abs(slant) * height + band;
  const middle = x - reach + at * (width + 2 * reach);
  const gradient = context.createLinearGradient(middle - band / 2, 0, middle + band / 2, 0);
  gradient.addColorStop(0, "rgba(255, 255, 255, 0)");
  gradient.addColorStop(0.5, `rgba(255, 255, 255, ${strength})`);
  gradient.addColorStop(1, "rgba(255, 255, 255, 0)");
  context.save();
  context.globalCompositeOperation = "source-atop";
  // slanted about the middle of the box
  context.transform(1, 0, slant, 1, -slant * (y + height / 2), 0);
  context.fillStyle = gradient;
  context.fillRect(middle - band / 2, y - height, band, 3 * height);
  context.restore();
}
