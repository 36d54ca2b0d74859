import type { Canvas } from "./canvas.ts";
import type { Box } from "./overlay.ts";
import { safeZoneOf } from "./safe-zone.ts";

export type Point = { readonly x: number; readonly y: number };

export type Placement = { readonly move: (at: Point) => Point; readonly scale: number };

export const shorterSide = ({ width, height }: Canvas): number => Math.min(width, height);

/**
 * Moves a box to another canvas. It keeps its share of the shorter side, or shrinks to fit into the safe zone, and
 * keeps its relative position between the zone's edges, so that a box at an edge stays there.
 */
export function placeBox(box: Box, from: Canvas, to: Canvas): Placement {
  const [zone, target] = [safeZoneOf(from), safeZoneOf(to)];
  const fits = Math.min(target.width / box.width, target.height / box.height);
  const scale = Math.min(shorterSide(to) / shorterSide(from), fits);
  const left = target.x + shareOfSpace(box.x - zone.x, zone.width - box.width) * (target.width - box.width * scale);
  const top = target.y + shareOfSpace(box.y - zone.y, zone.height - box.height) * (target.height - box.height * scale);
  return { scale, move: ({ x, y }) => ({ x: left + (x - box.x) * scale, y: top + (y - box.y) * scale }) };
}

/** The position of a box in the free space along one axis, from 0 to 1; the middle if there is no space. */
const shareOfSpace = (offset: number, space: number): number =>
  space > 0 ? Math.min(1, Math.max(0, offset / space)) : 0.5;

export function boxAroundAll(boxes: readonly Box[]): Box {
  const x = Math.min(...boxes.map((box) => box.x));
  const y = Math.min(...boxes.map((box) => box.y));
  const right = Math.max(...boxes.map((box) => box.x + box.width));
  const bottom = Math.max(...boxes.map((box) => box.y + box.height));
  return { x, y, width: right - x, height: bottom - y };
}
