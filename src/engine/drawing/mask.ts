import type { Canvas as Bitmap, Path2D, SKRSContext2D } from "@napi-rs/canvas";
import { ImageData } from "@napi-rs/canvas";
import type { Mask, maskChannels } from "../timeline/motion.ts";
import { blurBitmap, blurReach } from "./blur.ts";
import type { Box } from "./box.ts";
import { freeDrawn, newCanvas } from "./new-canvas.ts";
import { dataPath, ellipsePath, rectPath } from "./outline.ts";

type MaskEdge = Pick<Mask<never>, "invert" | "feather">;
type MaskShape = Extract<Mask<never>, { readonly kind: "ellipse" | "rect" | "path" }>;

/** Keeps of a layer's pixels what lies inside a shape. The context has the transform in which `box` is the layer's box. */
export function maskByShape(context: SKRSContext2D, mask: MaskShape, box: Box): void {
  const path = shapePath(mask, box);
  // the canvas ignores an empty path, which erases all
  path.moveTo(0, 0);
  if (mask.feather > 0) maskByDrawing(context, mask, (target) => target.fill(path));
  else composite(context, mask.invert, () => context.fill(path));
}

/**
 * Keeps of a layer's pixels what is drawn by `paint`, by its alpha. `paint` gets a context with the same transform, for
 * example to stretch a picture to the layer's box.
 */
export function maskByDrawing(
  context: SKRSContext2D,
  { invert, feather }: MaskEdge,
  paint: (context: SKRSContext2D) => void,
): void {
  const { width, height } = context.canvas;
  // what lies beside the layer's pixels still softens the edge
  const margin = blurReach(feather);
  const target = newCanvas(width + 2 * margin, height + 2 * margin).getContext("2d");
  const { a, b, c, d, e, f } = context.getTransform();
  target.setTransform(a, b, c, d, e + margin, f + margin);
  paint(target);
  const mask = feather > 0 ? blurBitmap(target.canvas, feather) : target.canvas;
  if (mask !== target.canvas) freeDrawn(target.canvas, mask.getContext("2d"));
  composite(context, invert, () => {
    context.resetTransform();
    context.drawImage(mask, -margin, -margin);
  });
  freeDrawn(mask, context);
}

/** The mask of a picture by a channel: the bitmap itself by `alpha`, a black copy as opaque as it is bright by `luma`. */
export function channelOf(bitmap: Bitmap, by: (typeof maskChannels)[number]): Bitmap {
  if (by === "alpha") return bitmap;
  const { width, height } = bitmap;
  const bytes = bitmap.data();
  lumaToAlpha(new Int32Array(bytes.buffer, bytes.byteOffset, width * height));
  const result = newCanvas(width, height);
  const pixels = new Uint8ClampedArray(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  result.getContext("2d").putImageData(new ImageData(pixels, width, height), 0, 0);
  return result;
}

/**
 * Sets each pixel to black with the luminance of CSS Masking 1: 0.2126 R + 0.7152 G + 0.0722 B in sRGB, multiplied by
 * alpha, which premultiplied colors are already. Signed integers: unsigned ones take ten times as long.
 */
function lumaToAlpha(pixels: Int32Array): void {
  for (let index = 0; index < pixels.length; index++) {
    const pixel = pixels[index]!;
    if (pixel === 0) continue;
    const [red, green, blue] = [pixel & 255, (pixel >>> 8) & 255, (pixel >>> 16) & 255];
    pixels[index] = ((red * 13933 + green * 46871 + blue * 4732 + 32768) >>> 16) << 24;
  }
}

function composite(context: SKRSContext2D, invert: boolean, draw: () => void): void {
  context.save();
  context.globalCompositeOperation = invert ? "destination-out" : "destination-in";
  context.globalAlpha = 1;
  context.fillStyle = "black";
  draw();
  context.restore();
}

function shapePath(mask: MaskShape, box: Box): Path2D {
  if (mask.kind === "path") return dataPath(mask.d, box);
  const area = { x: box.x + mask.x, y: box.y + mask.y, width: mask.width, height: mask.height };
  return mask.kind === "ellipse" ? ellipsePath(area) : rectPath(area, mask.radius);
}
