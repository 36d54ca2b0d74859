import type { SKRSContext2D } from "@napi-rs/canvas";
import type { TextStyle } from "../timeline/overlay.ts";
import { newCanvas } from "./new-canvas.ts";

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
}

/** Canvas shadows ignore the transform: rotate and scale the offset and the blur with the content. */
export function setShadow(context: SKRSContext2D, { color, blur, offsetX, offsetY }: Shadow): void {
  const { a, b, c, d } = context.getTransform();
  context.shadowColor = `rgba(${color.red}, ${color.green}, ${color.blue}, ${color.alpha})`;
  context.shadowBlur = blur * Math.hypot(a, b);
  context.shadowOffsetX = a * offsetX + c * offsetY;
  context.shadowOffsetY = b * offsetX + d * offsetY;
}
