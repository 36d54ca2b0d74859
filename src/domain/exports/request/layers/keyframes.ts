import { z } from "zod";
import { isEasing } from "../../../../engine/ports.ts";
import { CssColor, named, namedObject, optional } from "../../../shared/schemas.ts";
import { FillRequest } from "./fills.ts";
import { bounds } from "./numbers.ts";

const maxKeyframes = 200;

export const Easing = z
  .string()
  .max(100)
  .refine(
    isEasing,
    "Must be an easing, such as ease-in-out, out-back, step, cubic-bezier(0.2,0,0,1) or spring(200,15).",
  );

const percentage = /^\d{1,4}(\.\d{1,6})?%$/;

export const Instant = z.union(
  [
    z.number().min(0).max(1_000_000),
    z.string().max(20).regex(percentage, "Must be a percentage, such as 40%, or a number of seconds."),
  ],
  { error: 'Must be a number of seconds, or a percentage of the layer\'s length such as "40%".' },
);

export type Instant = z.output<typeof Instant>;

const keyframeOf = <Value extends z.ZodType>(value: Value) => ({
  at: Instant.describe("Seconds from the layer's position, or a percentage of its length; not before the one above."),
  value,
  easing: optional(Easing).describe("How the value travels to this keyframe; `linear` by default."),
});

const NumberKeyframes = z.array(namedObject("NumberKeyframe", keyframeOf(z.number()))).max(maxKeyframes);
const ColorKeyframes = z.array(namedObject("ColorKeyframe", keyframeOf(CssColor))).max(maxKeyframes);
const FillKeyframes = z.array(namedObject("FillKeyframe", keyframeOf(FillRequest))).max(maxKeyframes);
const TextKeyframes = z
  .array(namedObject("TextKeyframe", keyframeOf(z.string().max(10_000))))
  .max(maxKeyframes)
  .describe("The text changes at each keyframe.");

export type NumberKeyframes = z.output<typeof NumberKeyframes>;

type NumberName = keyof typeof bounds;

const numberLists = <const Name extends NumberName>(...names: readonly Name[]) => {
  const lists = names.map((name) => {
    const { min, max } = bounds[name];
    const isInside = (keyframes: NumberKeyframes, context: z.core.$RefinementCtx) => {
      for (const [index, { value }] of keyframes.entries()) {
        if (value >= min && value <= max) continue;
        context.addIssue({ code: "custom", path: [index, "value"], message: `Must be from ${min} to ${max}.` });
      }
    };
    return [name, optional(NumberKeyframes.superRefine(isInside)).describe(`Values from ${min} to ${max}.`)];
  });
  // safe because there is one list for each name
  return Object.fromEntries(lists) as { readonly [name in Name]: OptionalNumbers };
};

type OptionalNumbers = ReturnType<typeof optional<typeof NumberKeyframes>>;

/** Keyframes of these properties; another one is an error with its path. */
function keyframesOf<const Shape extends z.ZodRawShape>(name: string, shape: Shape) {
  const others = z
    .unknown()
    .refine(() => false, `Must be one of: ${Object.keys(shape).join(", ")}.`)
    .meta({ not: {} });
  const schema = z
    .object(shape)
    .catchall(others)
    .refine(({ centerX, x }) => centerX === undefined || x === undefined, {
      path: ["x"],
      message: "Is not for use with centerX.",
    })
    .refine(({ centerY, y }) => centerY === undefined || y === undefined, {
      path: ["y"],
      message: "Is not for use with centerY.",
    });
  // safe because no other property passes
  return named(name, schema) as unknown as z.ZodObject<Shape>;
}

const filterNames = [
  "brightness",
  "contrast",
  "saturation",
  "grayscale",
  "sepia",
  "invert",
  "hue",
  "tint",
  "blur",
] as const;

const ofEveryLayer = {
  ...numberLists("centerX", "centerY", "x", "y", "scale", "scaleX", "scaleY", "skewX", "skewY", "rotation", "opacity"),
  ...numberLists(...filterNames),
};

const ofBoxes = numberLists("width", "height", "radius");

export const KeyframesOfTexts = keyframesOf("TextLayerKeyframes", {
  ...ofEveryLayer,
  ...numberLists("fontSize", "letterSpacing", "strokeWidth", "radius"),
  fontColor: optional(ColorKeyframes),
  strokeColor: optional(ColorKeyframes),
  fill: optional(FillKeyframes),
  text: optional(TextKeyframes),
});

export const KeyframesOfImages = keyframesOf("ImageLayerKeyframes", {
  ...ofEveryLayer,
  ...ofBoxes,
  ...numberLists("focusX", "focusY", "zoom"),
});

export const KeyframesOfVideos = keyframesOf("VideoLayerKeyframes", {
  ...ofEveryLayer,
  ...ofBoxes,
  ...numberLists("focusX", "focusY", "zoom", "volume", "speed"),
});

export const KeyframesOfShapes = keyframesOf("ShapeLayerKeyframes", {
  ...ofEveryLayer,
  ...ofBoxes,
  ...numberLists("strokeWidth", "trimStart", "trimEnd", "trimOffset"),
  fill: optional(FillKeyframes),
  strokeColor: optional(ColorKeyframes),
});

export const KeyframesOfGroups = keyframesOf("GroupLayerKeyframes", { ...ofEveryLayer, ...ofBoxes });

export const KeyframesOfClips = keyframesOf("ClipKeyframes", {
  ...numberLists("centerX", "centerY", "scale", "scaleX", "scaleY", "rotation", "opacity", "volume", "speed"),
  ...numberLists(...filterNames),
});

export const KeyframesOfSounds = keyframesOf("SoundKeyframes", numberLists("volume"));

/** The keyframes of any layer: each type has some of them. */
export type KeyframesRequest = Partial<
  z.output<typeof KeyframesOfTexts> & z.output<typeof KeyframesOfVideos> & z.output<typeof KeyframesOfShapes>
>;
