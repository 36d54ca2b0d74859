import type { Gradient } from "../timeline/motion.ts";
import { cssColor } from "./css-color.ts";

type Stop = Gradient["stops"][number];

/** Straight pieces that stand for the curve of a color between two stops of different alpha. */
const pieces = 16;

/**
 * The stops for a canvas, which mixes colors without their alpha, of a gradient that mixes as CSS does: premultiplied,
 * so that a transparent stop darkens nothing. Stops that go back lie at the one before them, as in CSS.
 */
export function canvasStops(stops: readonly Stop[]): readonly { readonly at: number; readonly color: string }[] {
  const ordered = inOrder(stops);
  const between = ordered.slice(1).flatMap((stop, index) => segment(ordered[index]!, stop));
  return [...ordered.slice(0, 1), ...between, ...ordered.slice(-1)].map(({ at, color }) => ({
    at,
    color: cssColor(color),
  }));
}

function inOrder(stops: readonly Stop[]): readonly Stop[] {
  let reached = 0;
  return stops.map(({ at, color }) => {
    reached = Math.max(reached, Math.min(1, at));
    return { at: reached, color };
  });
}

function segment(from: Stop, to: Stop): readonly Stop[] {
  if (from.color.alpha === to.color.alpha || from.at === to.at) return [from, to];
  return Array.from({ length: pieces + 1 }, (_, index) => mix(from, to, index / pieces));
}

function mix(from: Stop, to: Stop, share: number): Stop {
  // at a transparent end the color is that of the other end
  const weight = (end: Stop, part: number) => part * Math.max(end.color.alpha, 1e-6);
  const [one, other] = [weight(from, 1 - share), weight(to, share)];
  const channel = (name: "red" | "green" | "blue") => {
    if (from.color.alpha === 0) return to.color[name];
    if (to.color.alpha === 0) return from.color[name];
    return Math.round((from.color[name] * one + to.color[name] * other) / (one + other));
  };
  const alpha = from.color.alpha * (1 - share) + to.color.alpha * share;
  const at = from.at + (to.at - from.at) * share;
  return { at, color: { red: channel("red"), green: channel("green"), blue: channel("blue"), alpha } };
}
