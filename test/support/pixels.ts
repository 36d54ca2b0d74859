import { type Canvas, createCanvas, ImageData, type SKRSContext2D } from "@napi-rs/canvas";
import fc from "fast-check";

/** Channels 0..255 as the canvas stores them, multiplied by alpha. */
export type Pixel = readonly [red: number, green: number, blue: number, alpha: number];

export function paintedOn(width: number, height: number, paint: (context: SKRSContext2D) => void): Canvas {
  const canvas = createCanvas(width, height);
  paint(canvas.getContext("2d"));
  return canvas;
}

/** A bitmap one pixel high, of straight colors. */
export const rowOf = (pixels: readonly Pixel[]): Canvas =>
  paintedOn(pixels.length, 1, (context) =>
    context.putImageData(new ImageData(new Uint8ClampedArray(pixels.flat()), pixels.length, 1), 0, 0),
  );

export function pixelsOf(bitmap: Canvas): readonly Pixel[] {
  const bytes = bitmap.data();
  return Array.from({ length: bytes.length / 4 }, (_, index) => pixelIn(bytes, index));
}

export const pixelAt = (bitmap: Canvas, x: number, y: number): Pixel => pixelIn(bitmap.data(), y * bitmap.width + x);

const pixelIn = (bytes: Uint8Array, index: number): Pixel => {
  const [red = 0, green = 0, blue = 0, alpha = 0] = bytes.subarray(index * 4, index * 4 + 4);
  return [red, green, blue, alpha];
};

/** The largest difference of two channels. */
export const difference = (one: Pixel, other: readonly number[]): number =>
  Math.max(...one.map((level, channel) => Math.abs(level - other[channel]!)));

/** Straight colors, a third of them opaque and a third half transparent. */
export const anyPixel: fc.Arbitrary<Pixel> = fc.tuple(
  fc.nat(255),
  fc.nat(255),
  fc.nat(255),
  fc.oneof(fc.constant(255), fc.constant(128), fc.nat(255)),
);
