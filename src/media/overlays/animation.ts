import { type Animation, animationSeconds, type Overlay } from "../../timeline/overlay.ts";
import { type FrameRate, framesIn, toFrame } from "../../timeline/time.ts";

/** How an overlay stands on one frame: moved, scaled about its centre, and more or less visible. */
export type Pose = { readonly alpha: number; readonly scale: number; readonly offsetY: number };

export const rest: Pose = { alpha: 1, scale: 1, offsetY: 0 };

/** The frames of an overlay that move; between them it rests for at least one. */
export type Motion = { readonly intro: readonly Pose[]; readonly outro: readonly Pose[] };

/** Slides travel this share of the canvas's height. */
const slideShare = 0.06;

/** Poses at the middles of their frames, the k-th of N at (k + 0.5) / N of its way. */
export function motionOf({ range, animateIn, animateOut }: Overlay, rate: FrameRate, canvasHeight: number): Motion {
  const frames = framesIn(range);
  const most = Math.min(Math.max(1, toFrame(animationSeconds, rate)), Math.floor(frames / 2));
  const intro = animateIn === "none" ? 0 : most;
  const outro = animateOut === "none" ? 0 : Math.min(most, frames - 1 - intro);
  const travel = canvasHeight * slideShare;
  return {
    intro: midpoints(intro).map((progress) => arriving[animateIn](progress, travel)),
    outro: midpoints(outro).map((progress) => leaving[animateOut](1 - progress, travel)),
  };
}

const midpoints = (count: number) => Array.from({ length: count }, (_, index) => (index + 0.5) / count);

type Move = (presence: number, travel: number) => Pose;

/** Fast first, then ever slower: the cubic ease-out. */
const settle = (presence: number) => 1 - (1 - presence) ** 3;

/** What moves is seen in full halfway, or its move would be over before anybody saw it. */
const appear = (presence: number) => Math.min(1, 2 * presence);

const slide =
  (direction: 1 | -1): Move =>
  (presence, travel) => ({ ...rest, alpha: appear(presence), offsetY: direction * travel * (1 - settle(presence)) });

/** Makes a pop go past its size by a fortieth, and come back: Penner's "back" ease-out. */
const spring = 2;

const pop: Move = (presence) => {
  const past = presence - 1;
  const eased = 1 + (spring + 1) * past ** 3 + spring * past ** 2;
  return { ...rest, alpha: appear(presence), scale: 0.8 + 0.2 * eased };
};

const fade: Move = (presence) => ({ ...rest, alpha: presence });
const still: Move = () => rest;

const arriving: Record<Animation, Move> = { none: still, fade, pop, slideup: slide(1), slidedown: slide(-1) };

/** A slide goes on the way it came: what moved up into its place leaves it upwards. */
const leaving: Record<Animation, Move> = { none: still, fade, pop, slideup: slide(-1), slidedown: slide(1) };
