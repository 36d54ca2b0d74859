import type { Path2D, SKRSContext2D } from "@napi-rs/canvas";
import type { ShapeContent } from "../timeline/overlay.ts";
import { type Box, grow } from "./box.ts";
import { cssColor } from "./css-color.ts";
import { boundedDash } from "./dash.ts";
import type { Drawing } from "./drawing.ts";
import { fillPath } from "./fill.ts";
import { outlineOf } from "./outline.ts";
import { trimPath, visibleShare } from "./trim.ts";

/** The default of SVG: sharper corners are cut off. */
const miterLimit = 4;

/** Draws a shape; undefined if it has no pixels: no size, neither fill nor stroke, or all trimmed away. */
export function drawShape(shape: ShapeContent): Drawing | undefined {
  const { width, height } = shape.box;
  const box = { x: -width / 2, y: -height / 2, width, height };
  const outline = outlineOf(shape, box);
  const bounds = boundsOf(shape, outline);
  const isPainted = (shape.fill || hasStroke(shape.stroke)) && (!shape.trim || visibleShare(shape.trim) > 0);
  if (!isPainted || !bounds) return undefined;
  return {
    center: { x: shape.box.x + width / 2, y: shape.box.y + height / 2 },
    box,
    bounds,
    shadowReach: 0,
    paint(context) {
      paintFill(context, shape, outline, box);
      paintStroke(context, shape, outline);
    },
  };
}

/**
 * Beside a stroke, the fill is whole and as opaque as the visible share of the outline: it appears while the outline
 * draws itself. Alone, it fills the trimmed outline, as motion designers know it.
 */
function paintFill(
  context: SKRSContext2D,
  { fill, stroke, trim, shape }: ShapeContent,
  outline: Path2D,
  box: Box,
): void {
  if (!fill || shape === "line") return;
  context.save();
  if (trim && hasStroke(stroke)) context.globalAlpha *= visibleShare(trim);
  fillPath(context, trim && !hasStroke(stroke) ? trimPath(outline, trim) : outline, fill, box);
  context.restore();
}

function paintStroke(context: SKRSContext2D, { stroke, trim }: ShapeContent, outline: Path2D): void {
  if (!hasStroke(stroke)) return;
  context.save();
  context.strokeStyle = cssColor(stroke.color);
  context.lineWidth = stroke.width;
  context.lineCap = stroke.cap;
  context.lineJoin = stroke.join;
  context.miterLimit = miterLimit;
  context.setLineDash(boundedDash(outline, stroke));
  context.stroke(trim ? trimPath(outline, trim) : outline);
  context.restore();
}

const hasStroke = (stroke: ShapeContent["stroke"]): stroke is NonNullable<ShapeContent["stroke"]> =>
  stroke !== undefined && stroke.width > 0;

function boundsOf({ shape, stroke }: ShapeContent, outline: Path2D): Box | undefined {
  const [left, top, right, bottom] = outline.computeTightBounds();
  const edges = { x: left, y: top, width: right - left, height: bottom - top };
  const hasPoints = Object.values(edges).every(Number.isFinite) && edges.width + edges.height > 0;
  if (!hasPoints) return undefined;
  const hasSpikes = shape !== "rect" && shape !== "ellipse" && shape !== "line" && stroke?.join === "miter";
  const reach = Math.max(hasSpikes ? miterLimit : 1, stroke?.cap === "square" ? Math.SQRT2 : 1);
  // one pixel more for antialiasing
  return grow(edges, ((stroke?.width ?? 0) / 2) * reach + 1);
}
