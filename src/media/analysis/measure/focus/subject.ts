import type { SubjectBox } from "../../../../timeline/focus.ts";
import { blockMiddle } from "./blocks.ts";

/** How long before and after it a box says where the subject is. */
const reachSeconds = 1.5;

/** Where the subject is at a time, between the boxes of a shot; undefined too far from them. */
export function boxAt(boxes: readonly SubjectBox[], time: number): Omit<SubjectBox, "atSeconds"> | undefined {
  const after = boxes.find(({ atSeconds }) => atSeconds > time);
  const before = boxes.findLast(({ atSeconds }) => atSeconds <= time);
  if (before && after && after.atSeconds - before.atSeconds <= 2 * reachSeconds) {
    const share = (time - before.atSeconds) / (after.atSeconds - before.atSeconds);
    const between = (side: "left" | "top" | "right" | "bottom") => before[side] + share * (after[side] - before[side]);
    return { left: between("left"), top: between("top"), right: between("right"), bottom: between("bottom") };
  }
  return [before, after].find((box) => box && Math.abs(box.atSeconds - time) <= reachSeconds);
}

/** The ends of a subject along one side of the frame, as fractions of it. */
export type Extent = readonly [from: number, to: number];

/** In place of what is measured: highest in the middle of the subject, so that a crop has it in its own. */
export function subjectProfile([from, to]: Extent, like: Float32Array, length: number, share: number): Float32Array {
  const reach = (to - from + share) / 2;
  const heights = like.map((_, index) =>
    Math.max(0, 1 - Math.abs(blockMiddle(index, length) - (from + to) / 2) / reach),
  );
  const total = heights.reduce((sum, height) => sum + height, 0);
  return heights.map((height) => height / Math.max(1e-9, total));
}
