import { createCanvas, type SKRSContext2D } from "@napi-rs/canvas";
import type { TextStyle } from "../../timeline/overlay.ts";

export type Shadow = NonNullable<TextStyle["shadow"]>;

/** Paints on a layer of its own, as large and turned as the context, and lays that over it as one picture. */
export function paintLayer(
  context: SKRSContext2D,
  { alpha = 1, shadow }: { readonly alpha?: number; readonly shadow?: Shadow | undefined },
  paint: (layer: SKRSContext2D) => void,
): void {
  const layer = createCanvas(context.canvas.width, context.canvas.height).getContext("2d");
  layer.setTransform(context.getTransform());
  paint(layer);

  context.save();
  if (shadow) castShadow(context, shadow);
  context.resetTransform();
  context.globalAlpha = alpha;
  context.drawImage(layer.canvas, 0, 0);
  context.restore();
}

/** The canvas casts shadows alike whatever is turned or scaled: here they go with what casts them. */
function castShadow(context: SKRSContext2D, { color, blur, offsetX, offsetY }: Shadow): void {
  const { a, b, c, d } = context.getTransform();
  context.shadowColor = `rgba(${color.red}, ${color.green}, ${color.blue}, ${color.alpha})`;
  context.shadowBlur = blur * Math.hypot(a, b);
  context.shadowOffsetX = a * offsetX + c * offsetY;
  context.shadowOffsetY = b * offsetX + d * offsetY;
}
