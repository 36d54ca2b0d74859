import { type Canvas, createCanvas } from "@napi-rs/canvas";

/** A transparent canvas. Throws if there is no memory for its pixels: without them, the library draws nothing. */
export function newCanvas(width: number, height: number): Canvas {
  const canvas = createCanvas(width, height);
  const context = canvas.getContext("2d");
  context.fillRect(0, 0, 1, 1);
  const hasMemory = context.getImageData(0, 0, 1, 1).data[3] === 255;
  if (!hasMemory) throw new Error(`There is no memory for ${width} × ${height} pixels.`);
  context.clearRect(0, 0, 1, 1);
  return canvas;
}
