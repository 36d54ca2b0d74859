import { z } from "zod";
import { lineCaps, lineJoins, shapeKinds } from "../../../../engine/timeline/overlay.ts";
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
import { Group } from "../../../shared/text-style.ts";
import { effectFields } from "./effects.ts";
import { FillRequest } from "./fills.ts";
import { htmlFields, requireReadableHtml } from "./html.ts";
import type { LayerInput } from "./inputs.ts";
import { KeyframesOfGroups, KeyframesOfShapes, KeyframesOfVideos } from "./keyframes.ts";
import { lottieFields, requireFrames } from "./lottie.ts";
import { movesOfOthers, movesOfShapes } from "./moves.ts";
import { maxDepth, maxLayersInList, requireBoundedNesting, requireUniqueIds } from "./nesting.ts";
import { between, bounds } from "./numbers.ts";
import { imageFields, keyframesAbout, textFields } from "./overlays.ts";
import { PathData } from "./path-data.ts";
import { hasWords, requireConsistentMotion, requireConsistentText } from "./refinements.ts";
import { targetsOfHtml, targetsOfOthers } from "./targets.ts";
import { endBeforeStart, endsAfterStart, overlayEnd, seconds } from "./times.ts";
import { requireOneSource, videoFields } from "./video.ts";

const id = optional(z.string().min(1).max(200)).describe("Unique in the request: errors and warnings name it.");

const layer = optional(z.int().min(-100).max(100)).describe(
  "-100 to 100; 2 by default. Higher lies above lower; equal ones lie above images and texts, in the order of the list.",
);

const times = {
  position: optional(seconds).describe("Seconds on the timeline, or on the clock of the group; 0 by default."),
  end: optional(overlayEnd).describe("Seconds, after position; by default the end of the video, or of the group."),
};

const frameFields = {
  centerX: optional(Pixels).describe("Pixels from the center of the frame, or of the group's box; 0 by default."),
  centerY: optional(Pixels).describe("Like centerX, downwards."),
  x: optional(Pixels).describe("Pixels from the left edge of the frame; counts only without centerX and centerY."),
  y: optional(Pixels).describe("Pixels from the top edge of the frame; counts only without centerX and centerY."),
  rotation: optional(Degrees).describe("Degrees, clockwise, about the anchor; 0 by default."),
  opacity: optional(Opacity).describe("0 to 1; 1 by default."),
  radius: optional(between(bounds.radius)).describe("Pixels of the corners; 0 by default."),
  group: Group,
  targets: targetsOfOthers,
};

const TextLayer = named(
  "TextLayer",
  z
    .object({ type: z.literal("text"), id, ...textFields, layer, ...times })
    .refine(endsAfterStart, endBeforeStart)
    .refine(hasWords.test, hasWords.params)
    .superRefine(requireConsistentText)
    .superRefine(requireConsistentMotion),
);

const ImageLayer = named(
  "ImageLayer",
  z
    .object({ type: z.literal("image"), id, ...imageFields, layer, ...times })
    .refine(endsAfterStart, endBeforeStart)
    .superRefine(requireConsistentMotion),
);

const VideoLayer = named(
  "VideoLayer",
  z
    .object({
      type: z.literal("video"),
      id,
      ...frameFields,
      ...videoFields,
      layer,
      ...times,
      ...effectFields,
      ...movesOfOthers,
      keyframes: optional(KeyframesOfVideos).describe(keyframesAbout),
    })
    .refine(endsAfterStart, endBeforeStart)
    .superRefine(requireOneSource)
    .superRefine(requireConsistentMotion),
);

const StrokeRequest = namedObject("Stroke", {
  color: optional(CssColor).describe("A CSS color; #ffffff by default."),
  width: optional(z.number().min(0).max(1000)).describe(
    "Pixels, half of them on each side of the outline; 4 by default.",
  ),
  dash: optional(z.array(z.number().min(0.1).max(16_384)).max(16)).describe(
    "Pixels of lines and gaps in turn, at most 16.",
  ),
  cap: optional(z.enum(lineCaps)).describe("`butt` by default."),
  join: optional(z.enum(lineJoins)).describe("`miter` by default."),
});

const TrimRequest = namedObject("Trim", {
  start: optional(Fraction).describe("A share of the outline's length; 0 by default."),
  end: optional(Fraction).describe("A share of the outline's length; 1 by default."),
  offset: optional(between(bounds.trimOffset)).describe("Shifts both along the outline; 0 by default."),
});

const side = optional(z.number().min(0).max(16_384));

const corners = z.int().min(3).max(100);

const viewBoxNumber = z.number().min(-1e6).max(1e6);

const ShapeLayer = named(
  "ShapeLayer",
  z
    .object({
      type: z.literal("shape"),
      id,
      shape: z.enum(shapeKinds),
      ...frameFields,
      width: side.describe("Pixels; by default the width of the frame, or in proportion to the height."),
      height: side.describe("Pixels; by default the height of the frame, or in proportion to the width."),
      d: optional(PathData).describe("The SVG path data of a `path`, in pixels from the box's top left."),
      viewBox: optional(z.tuple([viewBoxNumber, viewBoxNumber, viewBoxNumber, viewBoxNumber])).describe(
        "x, y, width and height: the part of the coordinates of `d` that fills the box.",
      ),
      sides: optional(corners).describe("The corners of a `polygon`; 6 by default."),
      points: optional(corners).describe("The points of a `star`; 5 by default."),
      inner: optional(Fraction).describe(
        "The share of a star's radius at which its inner corners lie; 0.5 by default.",
      ),
      fill: optional(FillRequest).describe("#ffffff by default; none if there is a stroke alone."),
      stroke: optional(StrokeRequest),
      trim: optional(TrimRequest).describe("The part of the outline that is drawn."),
      layer,
      ...times,
      ...effectFields,
      ...movesOfShapes,
      keyframes: optional(KeyframesOfShapes).describe(keyframesAbout),
    })
    .refine(endsAfterStart, endBeforeStart)
    .superRefine(requireConsistentMotion)
    .superRefine(({ shape, d, viewBox }, context) => {
      if (shape === "path" && d === undefined)
        context.addIssue({ code: "custom", path: ["d"], message: "Is required." });
      if (viewBox && Math.min(viewBox[2], viewBox[3]) <= 0) {
        context.addIssue({
          code: "custom",
          path: ["viewBox"],
          message: "Must have a width and a height of more than 0.",
        });
      }
    }),
);

const HtmlLayer = named(
  "HtmlLayer",
  z
    .object({
      type: z.literal("html"),
      id,
      ...frameFields,
      width: optional(Length).describe("Pixels; the width of the frame by default."),
      height: optional(Length).describe("Pixels; the height of the frame by default."),
      ...htmlFields,
      targets: targetsOfHtml,
      layer,
      ...times,
      ...effectFields,
      ...movesOfOthers,
      keyframes: optional(KeyframesOfGroups).describe(keyframesAbout),
    })
    .refine(endsAfterStart, endBeforeStart)
    .superRefine(requireConsistentMotion)
    .superRefine(requireReadableHtml),
);

const LottieLayer = named(
  "LottieLayer",
  z
    .object({
      type: z.literal("lottie"),
      id,
      ...frameFields,
      ...lottieFields,
      layer,
      ...times,
      ...effectFields,
      ...movesOfOthers,
      keyframes: optional(KeyframesOfGroups).describe(keyframesAbout),
    })
    .refine(endsAfterStart, endBeforeStart)
    .superRefine(requireConsistentMotion)
    .superRefine(requireFrames),
);

const groupFields = {
  type: z.literal("group"),
  id,
  ...frameFields,
  width: optional(Length).describe("Pixels; the width of the frame by default."),
  height: optional(Length).describe("Pixels; the height of the frame by default."),
  clip: optional(z.boolean()).describe("True: nothing is shown outside of the box."),
  speed: optional(z.number().min(0.1).max(10)).describe("How fast the group's clock runs; 1 by default."),
  repeat: optional(z.boolean()).describe("True: starts again after its last layer."),
  stagger: optional(z.number().min(0).max(60)).describe("Seconds by which each layer starts after the one above it."),
  layer,
  ...times,
  ...effectFields,
  ...movesOfOthers,
  keyframes: optional(KeyframesOfGroups).describe(keyframesAbout),
};

const GroupFields = z.object(groupFields);

/** Layers that are drawn as one, on a clock of their own. */
export interface GroupLayerRequest extends z.output<typeof GroupFields> {
  layers: LayerRequest[];
}

export type TextLayerRequest = z.output<typeof TextLayer>;
export type ImageLayerRequest = z.output<typeof ImageLayer>;
export type VideoLayerRequest = z.output<typeof VideoLayer>;
export type ShapeLayerRequest = z.output<typeof ShapeLayer>;
export type HtmlLayerRequest = z.output<typeof HtmlLayer>;
export type LottieLayerRequest = z.output<typeof LottieLayer>;

export type LayerRequest =
  | TextLayerRequest
  | ImageLayerRequest
  | VideoLayerRequest
  | ShapeLayerRequest
  | HtmlLayerRequest
  | LottieLayerRequest
  | GroupLayerRequest;

const GroupLayer = named(
  "GroupLayer",
  z
    .object({
      ...groupFields,
      get layers(): z.ZodType<LayerRequest[], LayerInput[]> {
        return z
          .array(Layer)
          .max(maxLayersInList)
          .describe(`At most ${maxLayersInList}, on the group's clock; groups nest at most ${maxDepth} deep.`);
      },
    })
    .refine(endsAfterStart, endBeforeStart)
    .superRefine(requireConsistentMotion),
);

const Layer: z.ZodType<LayerRequest, LayerInput> = named(
  "Layer",
  z.discriminatedUnion("type", [TextLayer, ImageLayer, VideoLayer, ShapeLayer, HtmlLayer, LottieLayer, GroupLayer], {
    error: ({ code }) =>
      code === "invalid_union" ? "Must be one of: text, image, video, shape, html, lottie, group." : undefined,
  }),
);

/** The layers of a request, bottom first. */
export const LayerList: z.ZodType<LayerRequest[], LayerInput[]> = z
  .preprocess(requireBoundedNesting, z.array(Layer).max(maxLayersInList))
  .superRefine(requireUniqueIds) as unknown as z.ZodType<LayerRequest[], LayerInput[]>;
