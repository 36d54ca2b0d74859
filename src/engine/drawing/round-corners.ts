import type { SKRSContext2D } from "@napi-rs/canvas";
import type { Box } from "./box.ts";

/** Erases all that is drawn outside of a box with rounded corners. */
export function roundCorners(context: SKRSContext2D, box: Box, radius: number): void {
  context.save();
  context.globalCompositeOperation = "destination-in";
  context.beginPath();
  context.roundRect(box.x, box.y, box.width, box.height, clampRadius(box, radius));
  context.fill();
  context.restore();
}

/** The largest radius that fits is half of the shorter side. */
export const clampRadius = ({ width, height }: Pick<Box, "width" | "height">, radius: number): number =>
  Math.max(0, Math.min(radius, width / 2, height / 2));
