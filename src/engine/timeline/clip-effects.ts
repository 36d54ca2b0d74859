import type { BlendMode, Filter, Keyframes, NumberProperty } from "./motion.ts";

const poseProperties = ["centerX", "centerY", "scale", "scaleX", "scaleY", "rotation"] as const;

const lookProperties = [
  "opacity",
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

/** The properties of a clip's picture that keyframes can change. */
export const clipProperties = [...poseProperties, ...lookProperties] as const satisfies readonly NumberProperty[];

export type ClipProperty = (typeof clipProperties)[number];

/** How a clip's picture, which fills the canvas, looks and lies on it. Absent properties change nothing. */
export type ClipEffects = {
  /** About the center of the picture; negative factors mirror. */
  readonly scaleX?: number | undefined;
  readonly scaleY?: number | undefined;
  /** Clockwise. */
  readonly rotationDegrees?: number | undefined;
  /** Over black. */
  readonly opacity?: number | undefined;
  readonly filter?: Filter | undefined;
  /** With the background of the film, or black; over none, nothing is blended. */
  readonly blend?: BlendMode | undefined;
  readonly mask?: ClipMask | undefined;
  /** In seconds from the clip's start. `centerX` and `centerY` are pixels from the center of the canvas. */
  readonly keyframes?: Pick<Keyframes, ClipProperty> | undefined;
};

/** The alpha of the overlay whose `masks` has this name; it lies on the clip and moves with it, or in the frame. */
export type ClipMask = { readonly name: string; readonly space: "clip" | "frame" };

/** True if the effects say how the picture lies on the canvas, even if it lies at rest. */
export const isPosed = ({ scaleX, scaleY, rotationDegrees, keyframes = {} }: ClipEffects = {}): boolean =>
  [scaleX, scaleY, rotationDegrees].some((value) => value !== undefined) ||
  poseProperties.some((name) => keyframes[name] !== undefined);

type Factors = { readonly x: number; readonly y: number; readonly lengths: number };

/** Returns the effects for a canvas of another size: factors for both directions, and for lengths without one. */
export function scaleEffects({ filter, keyframes, ...effects }: ClipEffects, by: Factors): ClipEffects {
  const scaled = (name: ClipProperty, factor: number) => {
    const list = keyframes?.[name]?.map((keyframe) => ({ ...keyframe, value: keyframe.value * factor }));
    return list && { [name]: list };
  };
  return {
    ...effects,
    ...(filter && { filter: filter.blur === undefined ? filter : { ...filter, blur: filter.blur * by.lengths } }),
    ...(keyframes && {
      keyframes: {
        ...keyframes,
        ...scaled("centerX", by.x),
        ...scaled("centerY", by.y),
        ...scaled("blur", by.lengths),
      },
    }),
  };
}
