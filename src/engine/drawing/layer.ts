import type { SKRSContext2D } from "@napi-rs/canvas";
import type { TextStyle } from "../timeline/overlay.ts";
import { cssColor } from "./css-color.ts";
import { freeDrawn, newCanvas } from "./new-canvas.ts";

export type Shadow = NonNullable<TextStyle["shadow"]>;

/** Paints on a separate layer with the context's size and transform, then composites the layer as a whole. */
export function paintLayer(
  context: SKRSContext2D,
  { alpha = 1, shadow }: { readonly alpha?: number; readonly shadow?: Shadow | undefined },
  paint: (layer: SKRSContext2D) => void,
): void {
  const layer = newCanvas(context.canvas.width, context.canvas.height).getContext("2d");
  layer.setTransform(context.getTransform());
  paint(layer);

  context.save();
  if (shadow) setShadow(context, shadow);
  context.resetTransform();
  context.globalAlpha = alpha;
  context.drawImage(layer.canvas, 0, 0);
  context.restore();
  freeDrawn(layer.canvas, context);
}

export function setShadow(context: SKRSContext2D, shadow: Shadow): void {
  const { color, blur, offsetX, offsetY } = shadowIn(context.getTransform(), shadow);
  context.shadowColor = cssColor(color);
  context.shadowBlur = blur;
  context.shadowOffsetX = offsetX;
  context.shadowOffsetY = offsetY;
}

/** Canvas shadows ignore the transform: returns the shadow with its offset and blur rotated and scaled by it. */
export const shadowIn = (
  { a, b, c, d }: { readonly a: number; readonly b: number; readonly c: number; readonly d: number },
  { color, blur, offsetX, offsetY }: Shadow,
): Shadow => ({
  color,
  blur: blur * Math.hypot(a, b),
  offsetX: a * offsetX + c * offsetY,
  offsetY: b * offsetX + d * offsetY,
});
