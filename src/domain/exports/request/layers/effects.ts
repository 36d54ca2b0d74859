import { z } from "zod";
import { blendModes, maskChannels } from "../../../../engine/timeline/motion.ts";
import { CssColor, Degrees, Fraction, Length, named, namedObject, optional, Pixels } from "../../../shared/schemas.ts";
import { between, bounds } from "./numbers.ts";
import { PathData } from "./path-data.ts";

/** The largest standard deviation of a blur, in pixels. */
const maxBlur = 200;

const Blur = z.number().min(0).max(maxBlur);

const Scale = between(bounds.scale);

export const ShadowRequest = namedObject("Shadow", {
  color: optional(CssColor).describe("A CSS color; rgb(0 0 0 / 0.5) by default."),
  blur: optional(Blur).describe("Pixels; 0 by default."),
  x: optional(z.number().min(-1000).max(1000)).describe("Pixels to the right; 0 by default."),
  y: optional(z.number().min(-1000).max(1000)).describe("Pixels downwards; 0 by default."),
});

const Factor = optional(between(bounds.brightness));

const Share = optional(Fraction);

export const FilterRequest = namedObject("Filter", {
  brightness: Factor.describe("A factor as in CSS; 1 changes nothing."),
  contrast: Factor.describe("A factor as in CSS; 1 changes nothing."),
  saturation: Factor.describe("A factor as in CSS; 1 changes nothing."),
  grayscale: Share.describe("0 to 1, as in CSS."),
  sepia: Share.describe("0 to 1, as in CSS."),
  invert: Share.describe("0 to 1, as in CSS."),
  hue: optional(Degrees).describe("Degrees by which hues turn."),
  tint: optional(
    namedObject("Tint", { color: CssColor, amount: optional(Fraction).describe("0 to 1; 1 by default.") }),
  ).describe("A color that is mixed in."),
  blur: optional(Blur).describe("The standard deviation in pixels, as in CSS."),
});

const kindsOfMask = ["shape", "assetId", "layer"] as const;

export const MaskRequest = named(
  "Mask",
  z
    .object({
      shape: optional(z.enum(["ellipse", "rect", "path"])).describe(
        "A shape in the layer's box, which is shown inside.",
      ),
      x: optional(Pixels).describe("Pixels from the left edge of the layer's box; 0 by default."),
      y: optional(Pixels).describe("Pixels from the top edge of the layer's box; 0 by default."),
      width: optional(Length).describe("Pixels; the layer's width by default."),
      height: optional(Length).describe("Pixels; the layer's height by default."),
      radius: optional(between(bounds.radius)).describe("Pixels of the corners of a `rect`; 0 by default."),
      d: optional(PathData).describe("The SVG path data of a `path`, in pixels from the top left of the layer's box."),
      assetId: optional(z.string().max(100)).describe("An image of the project, stretched to the layer's box."),
      layer: optional(z.string().max(200)).describe(
        "The id of a layer of the same list, which is then not shown itself; it masks where it lies.",
      ),
      by: optional(z.enum(maskChannels)).describe("What shows of an image or a layer: `alpha` by default, or `luma`."),
      invert: optional(z.boolean()).describe("Shows the rest."),
      feather: optional(Blur).describe("The standard deviation of a soft edge, in pixels; 0 by default."),
    })
    .superRefine((mask, context) => {
      const given = kindsOfMask.filter((kind) => mask[kind] !== undefined);
      if (given.length === 0) context.addIssue({ code: "custom", message: "Must have shape, assetId or layer." });
      for (const kind of given.slice(1)) {
        context.addIssue({ code: "custom", path: [kind], message: `Is not for use with ${given[0]}.` });
      }
      if (mask.shape === "path" && mask.d === undefined) {
        context.addIssue({ code: "custom", path: ["d"], message: "Is required." });
      }
    }),
);

const BoxPoint = namedObject("BoxPoint", { x: Fraction, y: Fraction });

/** What every layer can have, texts and images too. */
export const effectFields = {
  anchor: optional(BoxPoint).describe("What rotation and scale turn about, as shares of the box; 0.5, 0.5 by default."),
  scale: optional(
    z.union([Scale, z.object({ x: Scale, y: Scale })], { error: "Must be a number or { x, y }." }),
  ).describe("A factor, or one for each direction; negative ones mirror; 1 by default."),
  skewX: optional(between(bounds.skewX)).describe("Degrees; 0 by default."),
  skewY: optional(between(bounds.skewY)).describe("Degrees; 0 by default."),
  shadow: optional(ShadowRequest),
  filter: optional(FilterRequest),
  blend: optional(z.enum(blendModes)).describe("How colors mix with what lies below; `normal` by default."),
  mask: optional(MaskRequest),
};

export type EffectFields = z.output<z.ZodObject<typeof effectFields>>;
export type FilterRequest = z.output<typeof FilterRequest>;
export type MaskRequest = z.output<typeof MaskRequest>;
export type ShadowRequest = z.output<typeof ShadowRequest>;
