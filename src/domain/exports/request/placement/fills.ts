import type { Fill, Gradient } from "../../../../engine/timeline/motion.ts";
import { type Color, parseColor } from "../../../../platform/colors.ts";
import type { FillRequest, GradientRequest } from "../layers/fills.ts";

// safe because the schema accepts valid colors only
export const parsedColor = (text: string): Color => parseColor(text)!;

/** A stop before the one above it lies at the same place, as in CSS. */
export function gradientOf({ type, angle = 180, stops }: GradientRequest): Gradient {
  let last = 0;
  const placed = stops.map(({ at, color }) => {
    last = Math.max(last, at);
    return { at: last, color: parsedColor(color) };
  });
  return { type, angle, stops: placed };
}

export const fillOf = (fill: FillRequest): Fill => (typeof fill === "string" ? parsedColor(fill) : gradientOf(fill));
