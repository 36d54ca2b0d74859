import type { Box } from "../timeline/overlay.ts";
import type { Canvas } from "../timeline/timeline.ts";

export type { Box };
export type Point = { readonly x: number; readonly y: number };

const fromEdges = (left: number, top: number, right: number, bottom: number): Box => ({
  x: left,
  y: top,
  width: Math.max(0, right - left),
  height: Math.max(0, bottom - top),
});

export const isEmpty = ({ width, height }: Box): boolean => !(width > 0 && height > 0);

export const move = (box: Box, { x, y }: Point): Box => ({ ...box, x: box.x + x, y: box.y + y });

/** Moves every edge outwards, or inwards if `by` is negative. */
export const grow = (box: Box, by: number): Box =>
  fromEdges(box.x - by, box.y - by, box.x + box.width + by, box.y + box.height + by);

/** Scales about the origin. */
export const scaleBox = ({ x, y, width, height }: Box, scale: number): Box => ({
  x: x * scale,
  y: y * scale,
  width: width * scale,
  height: height * scale,
});

/** The smallest box around all non-empty boxes. */
export function union(boxes: readonly Box[]): Box {
  const filled = boxes.filter((box) => !isEmpty(box));
  if (filled.length === 0) return fromEdges(0, 0, 0, 0);
  return fromEdges(
    Math.min(...filled.map(({ x }) => x)),
    Math.min(...filled.map(({ y }) => y)),
    Math.max(...filled.map(({ x, width }) => x + width)),
    Math.max(...filled.map(({ y, height }) => y + height)),
  );
}

export const intersect = (a: Box, b: Box): Box =>
  fromEdges(
    Math.max(a.x, b.x),
    Math.max(a.y, b.y),
    Math.min(a.x + a.width, b.x + b.width),
    Math.min(a.y + a.height, b.y + b.height),
  );

/** The smallest box around `box` with all edges on multiples of `step` pixels. */
export const snapOutward = ({ x, y, width, height }: Box, step: 1 | 2): Box =>
  fromEdges(
    Math.floor(x / step) * step,
    Math.floor(y / step) * step,
    Math.ceil((x + width) / step) * step,
    Math.ceil((y + height) / step) * step,
  );

/** The axis-aligned bounding box of `box` rotated clockwise about the origin. */
export function rotatedBounds({ x, y, width, height }: Box, radians: number): Box {
  const sin = Math.sin(radians);
  const cos = Math.cos(radians);
  const corners = [x, x + width].flatMap((cornerX) =>
    [y, y + height].map((cornerY) => ({ x: cornerX * cos - cornerY * sin, y: cornerX * sin + cornerY * cos })),
  );
  const xs = corners.map((corner) => corner.x);
  const ys = corners.map((corner) => corner.y);
  return fromEdges(Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys));
}

/** The smallest size with the proportions of `shape` that covers an area. */
export function coverSize(area: Canvas, shape: Canvas): Canvas {
  const scale = Math.max(area.width / shape.width, area.height / shape.height);
  return { width: shape.width * scale, height: shape.height * scale };
}

/** The largest size with the proportions of `shape` that fits into `limits`. */
export function sizeWithin(limits: Canvas, shape: Canvas): Canvas {
  const scale = Math.min(limits.width / shape.width, limits.height / shape.height);
  return { width: shape.width * scale, height: shape.height * scale };
}
