import { Path2D } from "@napi-rs/canvas";
import type { ShapeContent } from "../timeline/overlay.ts";
import type { Box, Point } from "./box.ts";
import { clampRadius } from "./round-corners.ts";

/** More corners look like a circle. */
const maxCorners = 1000;

/** The outline of a shape in `box`. Closed shapes run clockwise, and all but `rect` and `path` start at the top. */
export function outlineOf(shape: ShapeContent, box: Box): Path2D {
  switch (shape.shape) {
    case "rect":
      return rectPath(box, shape.radius ?? 0);
    case "ellipse":
      return ellipsePath(box);
    case "line":
      return linePath([
        { x: box.x, y: box.y },
        { x: box.x + box.width, y: box.y + box.height },
      ]);
    case "polygon":
      return cornersPath(box, shape.sides ?? 6, () => 1);
    case "star":
      return cornersPath(box, 2 * (shape.points ?? 5), (corner) => (corner % 2 === 0 ? 1 : (shape.inner ?? 0.5)));
    case "path":
      return dataPath(shape.d ?? "", box, shape.viewBox);
  }
}

export function rectPath({ x, y, width, height }: Box, radius: number): Path2D {
  const path = new Path2D();
  const corner = clampRadius({ width, height }, radius);
  if (corner > 0) path.roundRect(x, y, width, height, corner);
  else path.rect(x, y, width, height);
  return path;
}

export function ellipsePath({ x, y, width, height }: Box): Path2D {
  const path = new Path2D();
  const top = -Math.PI / 2;
  path.ellipse(x + width / 2, y + height / 2, width / 2, height / 2, 0, top, top + 2 * Math.PI);
  path.closePath();
  return path;
}

/** SVG path data in pixels from the box's top left; `viewBox` is stretched to the box, the stroke is not. */
export function dataPath(data: string, box: Box, viewBox?: ShapeContent["viewBox"]): Path2D {
  const [left, top, width, height] = viewBox ?? [0, 0, box.width, box.height];
  const scaleX = viewBox && width > 0 ? box.width / width : 1;
  const scaleY = viewBox && height > 0 ? box.height / height : 1;
  const path = new Path2D();
  path.addPath(new Path2D(data), { a: scaleX, d: scaleY, e: box.x - left * scaleX, f: box.y - top * scaleY });
  return path;
}

function linePath(points: readonly Point[]): Path2D {
  const path = new Path2D();
  points.forEach(({ x, y }, index) => {
    if (index === 0) path.moveTo(x, y);
    else path.lineTo(x, y);
  });
  return path;
}

/** Corners on the box's ellipse, each moved towards the middle by its share of the radius. */
function cornersPath(box: Box, count: number, radiusOf: (corner: number) => number): Path2D {
  const length = Math.min(maxCorners, Math.round(count));
  const corners = Array.from({ length }, (_, corner) => {
    const angle = (2 * Math.PI * corner) / length;
    return {
      x: box.x + (box.width / 2) * (1 + radiusOf(corner) * Math.sin(angle)),
      y: box.y + (box.height / 2) * (1 - radiusOf(corner) * Math.cos(angle)),
    };
  });
  const path = linePath(corners);
  path.closePath();
  return path;
}
