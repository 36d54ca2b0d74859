import { z } from "zod";
import {
  CssColor,
  Degrees,
  Fraction,
  Length,
  named,
  namedObject,
  Opacity,
  optional,
  Pixels,
} from "../../../shared/schemas.ts";
import { Group, ImageLayer, TextLayer, textStyleFields } from "../../../shared/text-style.ts";
import { effectFields } from "./effects.ts";
import type { ImageInput, TextInput } from "./inputs.ts";
import { KeyframesOfImages, KeyframesOfTexts } from "./keyframes.ts";
import { movesOfOthers, movesOfTexts } from "./moves.ts";
import { between, bounds } from "./numbers.ts";
import { hasWords, requireConsistentMotion, requireConsistentText } from "./refinements.ts";
import { targetsOfOthers, targetsOfTexts } from "./targets.ts";
import { newTextFields, SizeOfText } from "./text-fields.ts";
import { endBeforeStart, endsAfterStart, overlayEnd, seconds } from "./times.ts";

export const keyframesAbout = "Values at times, by the names of fields; they replace the fields.";

/** The fields of texts, except their times. */
export const textFields = {
  text: z.string().max(10_000).optional().describe("Any Unicode text; nothing in it is syntax. May have line breaks."),
  fontSize: optional(SizeOfText).describe("Pixels; 48 by default. `auto` fills the box of width and height."),
  fontColor: optional(CssColor).describe("A CSS color; #ffffff by default."),
  centerX: optional(Pixels).describe("Pixels from the center of the frame to that of the text; 0 by default."),
  centerY: optional(Pixels).describe("Like centerX, downwards."),
  x: optional(Pixels).describe("Pixels from the left edge of the frame; counts only without centerX and centerY."),
  y: optional(Pixels).describe("Pixels from the top edge of the frame; counts only without centerX and centerY."),
  ...textStyleFields,
  group: Group,
  layer: TextLayer,
  ...newTextFields,
  ...effectFields,
  ...movesOfTexts,
  keyframes: optional(KeyframesOfTexts).describe(keyframesAbout),
  targets: targetsOfTexts,
};

/** The fields of images, except their times. */
export const imageFields = {
  assetId: z.string().max(100).describe("An image of the project."),
  width: optional(Length).describe("Pixels; by default the asset's, or in proportion to the height."),
  height: optional(Length).describe("Pixels; by default the asset's, or in proportion to the width."),
  x: optional(Pixels).describe("Pixels from the left edge of the frame to that of the box."),
  y: optional(Pixels).describe("Pixels from the top edge of the frame to that of the box."),
  centerX: optional(Pixels).describe("Pixels from the center of the frame; counts only without x and y."),
  centerY: optional(Pixels).describe("Like centerX, downwards."),
  opacity: optional(Opacity).describe("0 to 1; 1 by default."),
  rotation: optional(Degrees).describe("Degrees, clockwise, around the center; 0 by default."),
  maintainAspectRatio: optional(z.boolean()).describe(
    "True (the default) fits the image into the box, false stretches it.",
  ),
  group: Group,
  layer: ImageLayer,
  fit: optional(z.enum(["contain", "cover", "stretch"])).describe("How the image fills the box; `contain` by default."),
  focus: optional(namedObject("ImageFocus", { x: Fraction, y: Fraction })).describe(
    "The point that stays visible with `cover`, as shares of the image; the middle by default.",
  ),
  zoom: optional(between(bounds.zoom)).describe("Enlarges the image in its box; 1 by default."),
  radius: optional(between(bounds.radius)).describe("Pixels of the corners; 0 by default."),
  repeat: optional(z.boolean()).describe(
    "Plays an animated GIF, WebP or PNG: true repeats it, false holds its last picture. By default it repeats in `layers` and stands still in `images`.",
  ),
  speed: optional(between({ min: 0.1, max: 10 })).describe("How fast an animated image plays; 1 by default."),
  ...effectFields,
  ...movesOfOthers,
  keyframes: optional(KeyframesOfImages).describe(keyframesAbout),
  targets: targetsOfOthers,
};

const times = {
  position: seconds.describe("Seconds on the timeline."),
  end: overlayEnd.describe("Seconds on the timeline, after position."),
};

export const TextRequest = named(
  "ExportText",
  z
    .object({ ...textFields, ...times })
    .refine(endsAfterStart, endBeforeStart)
    .refine(hasWords.test, hasWords.params)
    .superRefine(requireConsistentText)
    .superRefine(requireConsistentMotion),
);

export const ImageRequest = named(
  "ExportImage",
  z
    .object({ ...imageFields, ...times })
    .refine(endsAfterStart, endBeforeStart)
    .superRefine(requireConsistentMotion),
);

export type TextRequest = z.output<typeof TextRequest>;
export type ImageRequest = z.output<typeof ImageRequest>;

/** Texts and images with the types of their inputs written out. */
export const TextItem: z.ZodType<TextRequest, TextInput> = TextRequest;
export const ImageItem: z.ZodType<ImageRequest, ImageInput> = ImageRequest;

/** A text or an image without its times. */
export type TextLook = Omit<TextRequest, "position" | "end">;
export type ImageLook = Omit<ImageRequest, "position" | "end">;
