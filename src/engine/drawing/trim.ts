import { Path2D } from "@napi-rs/canvas";
import type { ShapeContent } from "../timeline/overlay.ts";

export type Trim = NonNullable<ShapeContent["trim"]>;

const clamp = (share: number) => Math.max(0, Math.min(1, share));

/** The visible share of the outline's length, 0..1. */
export const visibleShare = ({ start, end }: Trim): number => Math.abs(clamp(end) - clamp(start));

/** The visible part of a path by its length, one subpath after the other; beyond the end it continues at the start. */
export function trimPath(path: Path2D, trim: Trim): Path2D {
  const share = visibleShare(trim);
  if (share === 0) return new Path2D();
  if (share === 1) return path;
  const from = wrap(Math.min(clamp(trim.start), clamp(trim.end)) + trim.offset);
  const to = from + share;
  const part = new Path2D(path);
  return to <= 1 ? part.trim(from, to) : part.trim(to - 1, from, true);
}

const wrap = (share: number) => share - Math.floor(share);
