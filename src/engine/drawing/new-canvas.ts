import { type Canvas, createCanvas, type SKRSContext2D } from "@napi-rs/canvas";

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

/** The garbage collector frees smaller ones early enough. */
const largePixels = 2 ** 20;

/** Frees the pixels of a large canvas that has been drawn on `context` and is not used any more. */
export function freeDrawn(drawn: Canvas, context: SKRSContext2D): void {
  if (drawn.width * drawn.height < largePixels) return;
  // drawing is deferred until pixels are read
  context.getImageData(0, 0, 1, 1);
  drawn.width = 1;
  drawn.height = 1;
}
