import type { Fill } from "../../../../engine/timeline/motion.ts";
import type { Box, ShapeContent } from "../../../../engine/timeline/overlay.ts";
import type { Canvas } from "../../../../engine/timeline/timeline.ts";
import { withoutUndefined } from "../../../../platform/values.ts";
import type { ShapeLayerRequest } from "../layers/schema.ts";
import { fillOf, parsedColor } from "./fills.ts";

type Positioned = {
  readonly centerX?: number | undefined;
  readonly centerY?: number | undefined;
  readonly x?: number | undefined;
  readonly y?: number | undefined;
};

/** The box of a shape or a group in its canvas. On each axis the center takes precedence over the corner. */
export function boxIn(canvas: Canvas, { centerX, centerY, x, y }: Positioned, size: Canvas): Box {
  const byCorner = centerX === undefined && centerY === undefined && (x !== undefined || y !== undefined);
  const start = (center: number | undefined, corner: number | undefined, room: number, length: number) =>
    center === undefined && (byCorner || corner !== undefined) ? (corner ?? 0) : (room - length) / 2 + (center ?? 0);
  return {
    x: start(centerX, x, canvas.width, size.width),
    y: start(centerY, y, canvas.height, size.height),
    ...size,
  };
}

/** The size of the canvas, or of the view box of a path; one side follows the other in proportion. */
function sizeOf({ shape, width, height, viewBox }: ShapeLayerRequest, canvas: Canvas): Canvas {
  const [, , ownWidth, ownHeight] = (shape === "path" && viewBox) || [0, 0, undefined, undefined];
  const own = ownWidth === undefined ? undefined : { width: ownWidth, height: ownHeight ?? ownWidth };
  if (width !== undefined && height !== undefined) return { width, height };
  if (width === undefined && height === undefined) return own ?? { width: canvas.width, height: canvas.height };
  // a line with one side is straight, other shapes are as high as wide
  const ratio = own ? own.width / own.height : 1;
  if (shape === "line") return { width: width ?? 0, height: height ?? 0 };
  return { width: width ?? (height ?? 0) * ratio, height: height ?? (width ?? 0) / ratio };
}

const white = parsedColor("#ffffff");

export function shapeContent(layer: ShapeLayerRequest, canvas: Canvas): ShapeContent {
  const { shape, d, viewBox, sides = 6, points = 5, inner = 0.5, radius, trim } = layer;
  return {
    kind: "shape",
    shape,
    box: boxIn(canvas, layer, sizeOf(layer, canvas)),
    ...(shape === "polygon" && { sides }),
    ...(shape === "star" && { points, inner }),
    ...(shape === "path" && withoutUndefined({ d, viewBox })),
    ...withoutUndefined({ radius, fill: fillOfShape(layer), stroke: strokeOf(layer) }),
    ...(trim && { trim: { start: trim.start ?? 0, end: trim.end ?? 1, offset: trim.offset ?? 0 } }),
  };
}

/** White by default, but a line, or a shape with a stroke alone, has no fill. */
function fillOfShape({ shape, fill, stroke, keyframes }: ShapeLayerRequest): Fill | undefined {
  if (shape === "line") return undefined;
  if (fill !== undefined) return fillOf(fill);
  return stroke && !keyframes?.fill ? undefined : white;
}

function strokeOf({ shape, stroke, fill, keyframes }: ShapeLayerRequest): ShapeContent["stroke"] {
  const isStroked = stroke ?? (keyframes?.strokeWidth || keyframes?.strokeColor || shape === "line");
  if (!isStroked) return undefined;
  const { color, width = 4, dash = [], cap = "butt", join = "miter" } = stroke ?? {};
  const byDefault = shape === "line" && typeof fill === "string" ? fill : "#ffffff";
  return { color: parsedColor(color ?? byDefault), width, ...(dash.length > 0 && { dash }), cap, join };
}
