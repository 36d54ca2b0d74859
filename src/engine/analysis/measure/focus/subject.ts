import type { SubjectBox } from "../../../timeline/focus.ts";
import { blockMiddle } from "./blocks.ts";

/** A box is valid for this many seconds before and after its time. */
const reachSeconds = 1.5;
/** The movement between two boxes continues for this many seconds. */
const onwardSeconds = 1;
/** The highest speed of a subject otherwise, as a fraction of a side per second. */
const speed = 0.4;

/** The factor of uncertainty where the direction is unknown. */
const unknownWay = 1.5;

/** The position of the subject at a time. */
type Sighting = Omit<SubjectBox, "atSeconds"> & {
  /** The seconds to the nearest box, more if it is the only one. */
  readonly away: number;
};

/** The position of the subject at a time, by the boxes of a shot; undefined too far from them. */
export function boxAt(boxes: readonly SubjectBox[], time: number): Sighting | undefined {
  const at = boxes.filter(({ atSeconds }) => atSeconds <= time).length;
  const [before, after] = [boxes[at - 1], boxes[at]];
  const isAfter = after && (!before || after.atSeconds - time < time - before.atSeconds);
  const near = isAfter ? after : before;
  const away = near ? Math.abs(near.atSeconds - time) : Number.POSITIVE_INFINITY;
  if (!near || away > reachSeconds) return undefined;
  const inside = between(before, after, time);
  const [one, other] = isAfter ? [after, boxes[at + 1]] : [boxes[at - 2], before];
  const line = inside ?? between(one, other, time);
  return line ? { ...line, away } : { ...near, away: unknownWay * away };
}

/** A position on the line through two boxes, and a little beyond; undefined if they are too far apart. */
function between(one: SubjectBox | undefined, other: SubjectBox | undefined, time: number): SubjectBox | undefined {
  if (!one || !other || other.atSeconds - one.atSeconds > 2 * reachSeconds) return undefined;
  const gap = other.atSeconds - one.atSeconds;
  const onward = Math.min(onwardSeconds, gap);
  const atSeconds = Math.min(Math.max(one.atSeconds - onward, time), other.atSeconds + onward);
  const at = (side: "left" | "top" | "right" | "bottom") =>
    one[side] + ((atSeconds - one.atSeconds) / gap) * (other[side] - one[side]);
  return { atSeconds, left: at("left"), top: at("top"), right: at("right"), bottom: at("bottom") };
}

/** The ends of the subject along one side of the frame, as fractions of it. */
export type Extent = { readonly from: number; readonly to: number; readonly away: number };

type Crop = { readonly length: number; readonly share: number; readonly weight: number };

/**
 * Highest in the middle of the subject, so that a crop centers it, and flatter with growing uncertainty. Measured
 * saliency counts only where the subject may be: it is more precise about the position, but does not know the subject.
 */
export function subjectProfile(
  { from, to, away }: Extent,
  measured: Float32Array,
  { length, share, weight }: Crop,
): Float32Array {
  const reach = (Math.max(0, to - from) + share) / 2 + speed * away;
  const odds = measured.map((_, index) =>
    Math.max(0, 1 - Math.abs(blockMiddle(index, length) - (from + to) / 2) / reach),
  );
  const total = odds.reduce((sum, one) => sum + one, 1e-9);
  return odds.map((one, index) => one * (weight / total + measured[index]!));
}
