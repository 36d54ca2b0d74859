import type { SKRSContext2D } from "@napi-rs/canvas";
import { blurBitmap, blurReach } from "./blur.ts";
import { type Box, grow, intersect, isEmpty, move, snapOutward, union } from "./box.ts";
import { cssColor } from "./css-color.ts";
import type { PlacedBitmap } from "./drawing.ts";
import { type Shadow, shadowIn } from "./layer.ts";
import { newCanvas } from "./new-canvas.ts";

type PatchOptions = {
  readonly alpha?: number;
  /** A standard deviation, in the context's coordinates. */
  readonly blur?: number;
  readonly shadow?: Shadow | undefined;
};

/** In pixels: the layer grows with the blur. */
const maxDeviation = 256;

/**
 * Paints on a separate layer, then composites the layer as a whole, as `paintLayer` does. The layer is only as large as
 * the visible part of `box`, which must contain everything that `paint` paints.
 */
export function paintPatch(
  context: SKRSContext2D,
  box: Box,
  { alpha = 1, blur = 0, shadow }: PatchOptions,
  paint: (patch: SKRSContext2D) => void,
): void {
  const transform = context.getTransform();
  const { a, b, c, d, e, f } = transform;
  const deviation = Math.min(maxDeviation, blur * Math.sqrt(Math.abs(a * d - b * c)));
  const reach = blurReach(deviation);
  const { width, height } = context.canvas;
  const area = intersect(
    snapOutward(grow(transformedBounds(box, transform), reach), 1),
    grow({ x: 0, y: 0, width, height }, reach),
  );
  if (isEmpty(area)) return;

  const patch = newCanvas(area.width, area.height).getContext("2d");
  patch.setTransform(a, b, c, d, e - area.x, f - area.y);
  paint(patch);

  // a filter of the context would cost the time of its whole canvas
  const whole = { bitmap: deviation > 0 ? blurBitmap(patch.canvas, deviation) : patch.canvas, box: area };
  const placed = shadow ? withShadow(whole, shadowIn(transform, shadow), { x: 0, y: 0, width, height }) : whole;
  context.save();
  context.resetTransform();
  context.globalAlpha *= alpha;
  context.drawImage(placed.bitmap, placed.box.x, placed.box.y);
  context.restore();
}

/** A bitmap with its shadow, as far as both lie within `limits`. */
function withShadow({ bitmap, box }: PlacedBitmap, shadow: Shadow, limits: Box): PlacedBitmap {
  const shade = grow(move(box, { x: shadow.offsetX, y: shadow.offsetY }), Math.ceil(shadow.blur * 1.5));
  const area = intersect(snapOutward(union([box, shade]), 1), limits);
  if (isEmpty(area)) return { bitmap, box };
  const context = newCanvas(area.width, area.height).getContext("2d");
  context.shadowColor = cssColor(shadow.color);
  context.shadowBlur = shadow.blur;
  context.shadowOffsetX = shadow.offsetX;
  context.shadowOffsetY = shadow.offsetY;
  context.drawImage(bitmap, box.x - area.x, box.y - area.y);
  return { bitmap: context.canvas, box: area };
}

export type Transform = Pick<DOMMatrix, "a" | "b" | "c" | "d" | "e" | "f">;

/** The axis-aligned bounding box of a transformed box. */
export function transformedBounds({ x, y, width, height }: Box, { a, b, c, d, e, f }: Transform): Box {
  const corners = [x, x + width].flatMap((cornerX) =>
    [y, y + height].map((cornerY) => [a * cornerX + c * cornerY + e, b * cornerX + d * cornerY + f] as const),
  );
  const xs = corners.map(([cornerX]) => cornerX);
  const ys = corners.map(([, cornerY]) => cornerY);
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  return { x: left, y: top, width: Math.max(...xs) - left, height: Math.max(...ys) - top };
}
