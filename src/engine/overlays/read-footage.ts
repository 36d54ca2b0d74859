import { closeSync, openSync, readSync } from "node:fs";
import { type Canvas as Bitmap, ImageData } from "@napi-rs/canvas";
import { newCanvas } from "../drawing/new-canvas.ts";
import type { DrawnVideo, Footage } from "../timeline/overlay.ts";
import { footageKey } from "./footage.ts";

/** A rendered frame is that of a wanted time if it is at most this many seconds later. */
const tolerance = 1e-5;

/** Reads the frame that a video shows: the last rendered one at or before its time. */
export async function readFootage(
  content: DrawnVideo,
  footage: readonly Omit<Footage, "path">[],
  localPathOf: (source: { readonly file: string }) => Promise<string>,
): Promise<Bitmap> {
  const key = footageKey(content);
  const found = footage.find((each) => each.key === key);
  if (!found) throw new Error("The video has no footage.");
  const { size, times, isPremultiplied } = found;
  const index = Math.max(
    0,
    times.findLastIndex((time) => time <= content.at + tolerance),
  );
  const pixels = readFrame(await localPathOf({ file: key }), index, size.width * size.height * 4);
  if (isPremultiplied) divideByAlpha(pixels);
  const bitmap = newCanvas(size.width, size.height);
  bitmap.getContext("2d").putImageData(new ImageData(pixels, size.width, size.height), 0, 0);
  return bitmap;
}

function readFrame(path: string, index: number, bytes: number): Uint8ClampedArray {
  const data = new Uint8Array(bytes);
  const file = openSync(path, "r");
  try {
    for (let done = 0; done < bytes; ) {
      const count = readSync(file, data, done, bytes - done, index * bytes + done);
      if (count === 0) throw new Error("The footage has too few frames.");
      done += count;
    }
  } finally {
    closeSync(file);
  }
  return new Uint8ClampedArray(data.buffer);
}

function divideByAlpha(pixels: Uint8ClampedArray): void {
  for (let at = 0; at < pixels.length; at += 4) {
    const alpha = pixels[at + 3]!;
    if (alpha === 0 || alpha === 255) continue;
    const factor = 255 / alpha;
    pixels[at] = pixels[at]! * factor;
    pixels[at + 1] = pixels[at + 1]! * factor;
    pixels[at + 2] = pixels[at + 2]! * factor;
  }
}
