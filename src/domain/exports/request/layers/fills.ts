import { z } from "zod";
import { gradientTypes } from "../../../../engine/timeline/motion.ts";
import { CssColor, Degrees, Fraction, named, namedObject, optional } from "../../../shared/schemas.ts";
import { oneOf } from "./names.ts";

const maxStops = 32;

const GradientStop = namedObject("GradientStop", {
  at: Fraction.describe("A share of the gradient's length, 0 to 1."),
  color: CssColor,
});

// refined, so that a union reports the path
const stops = z
  .array(GradientStop)
  .refine(({ length }) => length >= 2 && length <= maxStops, `Must have 2 to ${maxStops} items.`)
  .meta({ minItems: 2, maxItems: maxStops });

export const GradientRequest = namedObject("Gradient", {
  type: oneOf(gradientTypes),
  angle: optional(Degrees).describe(
    "Degrees, clockwise; 180 by default, which goes down. A conic gradient starts at its angle.",
  ),
  stops: stops.describe("2 to 32 stops, in their order."),
});

export const FillRequest = named(
  "Fill",
  z.union([CssColor, GradientRequest], { error: "Must be a CSS color or a gradient." }),
);

export type GradientRequest = z.output<typeof GradientRequest>;
export type FillRequest = z.output<typeof FillRequest>;
