import { type Animation, animationSeconds, type Overlay } from "../timeline/overlay.ts";
import { type FrameRate, framesIn, toFrame } from "../timeline/time.ts";

/** The state of an overlay on one frame: opacity, scale about its center, vertical offset in pixels. */
export type Pose = { readonly alpha: number; readonly scale: number; readonly offsetY: number };

export const restPose: Pose = { alpha: 1, scale: 1, offsetY: 0 };

/** The poses of an overlay's animated frames. At least one frame at rest lies between intro and outro. */
type Motion = { readonly intro: readonly Pose[]; readonly outro: readonly Pose[] };

/** The distance of a slide, as a share of the canvas height. */
const slideShare = 0.06;

/** Samples each animation at the middle of its frames: frame k of N at progress (k + 0.5) / N. */
export function motionOf({ range, animateIn, animateOut }: Overlay, rate: FrameRate, canvasHeight: number): Motion {
  const frames = framesIn(range);
  const maxFrames = Math.min(Math.max(1, toFrame(animationSeconds, rate)), Math.floor(frames / 2));
  const introFrames = animateIn === "none" ? 0 : maxFrames;
  const outroFrames = animateOut === "none" ? 0 : Math.min(maxFrames, frames - 1 - introFrames);
  const slideDistance = canvasHeight * slideShare;
  return {
    intro: midpoints(introFrames).map((progress) => introCurves[animateIn](progress, slideDistance)),
    outro: midpoints(outroFrames).map((progress) => outroCurves[animateOut](1 - progress, slideDistance)),
  };
}

export function bitmapStarts(overlay: Overlay, rate: FrameRate, canvasHeight: number): readonly number[] {
  const { content, range } = overlay;
  if (content.kind === "caption") return content.states.map(({ start }) => start);
  const { intro, outro } = motionOf(overlay, rate, canvasHeight);
  const outroStart = framesIn(range) - outro.length;
  return [...intro.keys(), intro.length, ...outro.map((_, index) => outroStart + index)];
}

const midpoints = (count: number) => Array.from({ length: count }, (_, index) => (index + 0.5) / count);

/** The pose at a progress from 0 (hidden) to 1 (at rest). */
type Curve = (progress: number, slideDistance: number) => Pose;

const easeOutCubic = (progress: number) => 1 - (1 - progress) ** 3;

/** Moving overlays are fully opaque at half of their animation, so that the second half of the move is visible. */
const fadeInFirstHalf = (progress: number) => Math.min(1, 2 * progress);

const slide =
  (direction: 1 | -1): Curve =>
  (progress, slideDistance) => ({
    ...restPose,
    alpha: fadeInFirstHalf(progress),
    offsetY: direction * slideDistance * (1 - easeOutCubic(progress)),
  });

/** The parameter of Penner's "back" ease-out; 2 makes a pop overshoot its final size by about 1/40. */
const overshoot = 2;

const pop: Curve = (progress) => {
  const fromEnd = progress - 1;
  const eased = 1 + (overshoot + 1) * fromEnd ** 3 + overshoot * fromEnd ** 2;
  return { ...restPose, alpha: fadeInFirstHalf(progress), scale: 0.8 + 0.2 * eased };
};

const fade: Curve = (progress) => ({ ...restPose, alpha: progress });
const none: Curve = () => restPose;

const introCurves: Record<Animation, Curve> = { none, fade, pop, slideup: slide(1), slidedown: slide(-1) };

/** A slide continues in its direction: a `slideup` outro moves up and away. */
const outroCurves: Record<Animation, Curve> = { none, fade, pop, slideup: slide(-1), slidedown: slide(1) };
