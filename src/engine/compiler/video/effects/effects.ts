import { valueAt } from "../../../motion/keyframes.ts";
import type { ClipEffects, ClipProperty } from "../../../timeline/clip-effects.ts";
import { type FrameRange, type FrameRate, framesIn, toSeconds } from "../../../timeline/time.ts";
import type { Timeline } from "../../../timeline/timeline.ts";
import { mixWithBlack, solidColor } from "../../filters/color.ts";
import { paintOver } from "../../filters/geometry.ts";
import { numberAt, resetTimestamps } from "../../filters/time.ts";
import type { Video } from "../../graph/graph.ts";
import { blendWithGround, type Ground } from "./blending.ts";
import { blurFrames } from "./blurring.ts";
import { colorFrames } from "./coloring.ts";
import { isAtRest, type Pose, pose, poseClear, smoothingFor } from "./pose.ts";

type Output = Pick<Timeline, "canvas" | "rate" | "background"> &
  Ground & {
    /** What shows of the clip, as gray frames. */
    readonly mask?: Video | undefined;
  };

/** Draws a clip's video of the canvas's size with its effects. `frames` are counted from the clip's start. */
export function drawEffects(video: Video, effects: ClipEffects, frames: FrameRange, output: Output): Video {
  const { canvas, rate, background, mask } = output;
  const sampled = samplesOf(effects, frames, rate);
  const colored = colorFrames(
    video,
    sampled.map(({ value }) => filterOf(effects, value)),
    canvas,
    rate,
  );
  const opacities = sampled.map(({ value }) => shownOpacity(value("opacity") ?? effects.opacity ?? 1));
  const poses = sampled.map(({ value }) => poseOf(effects, value));
  const sigmas = sampled.map(({ value }, frame) =>
    Math.hypot(value("blur") ?? effects.filter?.blur ?? 0, smoothingFor(poses[frame]!)),
  );
  const blurred = blendWithGround(blurFrames(colored, sigmas, canvas, rate), effects.blend, sampled.length, output);
  const isOpaque = opacities.every((opacity) => opacity === 1);
  if (mask || (background && !(isOpaque && poses.every(isAtRest)))) {
    const below = solidColor(background ?? "black", canvas, rate, opacities.length);
    const shape = mask && { gray: mask, moves: effects.mask?.space === "clip" };
    const above = poseClear(blurred, poses, canvas, { rate, opacities, mask: shape });
    return paintOver(below, resetTimestamps(above, rate), { x: 0, y: 0 });
  }
  const faded = isOpaque ? blurred : mixWithBlack(blurred, numberAt(opacities, { variable: "n", first: 0 }));
  return pose(faded, poses, canvas);
}

/** In thousandths: less is less than a level. */
const shownOpacity = (opacity: number) => Math.round(Math.min(1, Math.max(0, opacity)) * 1000) / 1000;

/** The value of a property with keyframes. */
type ValueOf = (property: ClipProperty) => number | undefined;

/** The effects in the middle of each frame. */
const samplesOf = ({ keyframes = {} }: ClipEffects, { start, end }: FrameRange, rate: FrameRate) =>
  Array.from({ length: framesIn({ start, end }) }, (_, index) => {
    const seconds = toSeconds(start + index + 0.5, rate);
    const value: ValueOf = (property) => {
      const list = keyframes[property];
      return list && list.length > 0 ? valueAt(list, seconds) : undefined;
    };
    return { value };
  });

function poseOf(effects: ClipEffects, value: ValueOf): Pose {
  const scale = value("scale");
  // a keyed scale replaces the static one
  const still = scale === undefined ? effects : { scaleX: 1, scaleY: 1 };
  return {
    scaleX: (scale ?? 1) * (value("scaleX") ?? 1) * (still.scaleX ?? 1),
    scaleY: (scale ?? 1) * (value("scaleY") ?? 1) * (still.scaleY ?? 1),
    degrees: value("rotation") ?? effects.rotationDegrees ?? 0,
    centerX: value("centerX") ?? 0,
    centerY: value("centerY") ?? 0,
  };
}

function filterOf({ filter }: ClipEffects, value: ValueOf) {
  const keyed = (name: Exclude<ClipProperty, "tint"> & keyof NonNullable<ClipEffects["filter"]>) =>
    value(name) ?? filter?.[name];
  return {
    brightness: keyed("brightness") ?? 1,
    contrast: keyed("contrast") ?? 1,
    saturation: keyed("saturation") ?? 1,
    grayscale: keyed("grayscale") ?? 0,
    sepia: keyed("sepia") ?? 0,
    invert: keyed("invert") ?? 0,
    hue: keyed("hue") ?? 0,
    tint: filter?.tint && { ...filter.tint, amount: value("tint") ?? filter.tint.amount },
  };
}
