import { z } from "zod";
import { animations, textAligns, verticalAligns } from "../../engine/timeline/overlay.ts";
import { CssColor, Degrees, FontWeight, Length, Opacity, optional } from "./schemas.ts";

const animation = z.enum(animations);

/** The style of a text, except its size and its color: in exports and in templates. */
export const textStyleFields = {
  fontAssetId: optional(z.string().max(100)).describe("A font of the project."),
  fontFamily: optional(z.string().max(200)).describe("A bundled font, or one of the project by its family."),
  fontWeight: optional(FontWeight).describe("1 to 1000, or a name; 700 by default."),
  align: optional(z.enum(textAligns)).describe("`center` by default."),
  maxWidth: optional(Length).describe(
    "Pixels at which lines wrap; by default at most 90 % of the frame, less for a text beside its middle, in lines of about equal length.",
  ),
  maxHeight: optional(Length).describe(
    "Pixels: the text is made smaller until its lines fit, with no word broken. Then it lies in a box of maxWidth by maxHeight, on the sides that align and verticalAlign name.",
  ),
  verticalAlign: optional(z.enum(verticalAligns)).describe("`middle` by default; needs maxHeight."),
  lineHeight: optional(z.number().min(0.1).max(10)).describe("A factor of the font size; 1.2 by default."),
  letterSpacing: optional(z.number().min(-200).max(1000)).describe("Pixels; 0 by default."),
  strokeColor: optional(CssColor).describe("A CSS color."),
  strokeWidth: optional(z.number().min(0).max(200)).describe("Pixels, outside of the glyphs."),
  shadowColor: optional(CssColor).describe(
    "A CSS color. Without stroke, background and shadow, a text has a soft dark shadow; `transparent` turns it off.",
  ),
  shadowBlur: optional(z.number().min(0).max(200)).describe("Pixels."),
  shadowOffsetX: optional(z.number().min(-1000).max(1000)).describe("Pixels."),
  shadowOffsetY: optional(z.number().min(-1000).max(1000)).describe("Pixels."),
  background: optional(CssColor).describe("A CSS color."),
  padding: optional(z.number().min(0).max(1000)).describe("Pixels between the text and the edge of its background."),
  radius: optional(z.number().min(0).max(1000)).describe("Pixels of the background's corners."),
  opacity: optional(Opacity).describe("0 to 1; 1 by default."),
  rotation: optional(Degrees).describe("Degrees, clockwise, around the center; 0 by default."),
  animateIn: optional(animation).describe("0.3 seconds from position; `none` by default."),
  animateOut: optional(animation).describe("0.3 seconds before end; `none` by default."),
};

export type TextStyleFields = z.output<z.ZodObject<typeof textStyleFields>>;

/** Overlays of one group keep their relative positions in every target. */
export const Group = optional(z.string().min(1).max(200)).describe(
  "Texts and images with the same group keep their relative positions in other aspect ratios.",
);

const layerOf = (byDefault: number) =>
  optional(z.int().min(-100).max(100)).describe(
    `-100 to 100; ${byDefault} by default. Higher lies above lower; in one layer texts lie over images, each in the order of its list.`,
  );

/** The heights of images, texts and layers that name none. */
export const defaultLayers = { image: 0, text: 1, layer: 2 };
export const TextLayer = layerOf(defaultLayers.text);
export const ImageLayer = layerOf(defaultLayers.image);
