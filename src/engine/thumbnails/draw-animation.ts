import { setImmediate } from "node:timers/promises";
import type { SKRSContext2D } from "@napi-rs/canvas";
import { newCanvas } from "../drawing/new-canvas.ts";
import { type AnimatedPart, animatedWebp } from "../images/animated-webp.ts";
import { contentLoader } from "../overlays/content.ts";
import { prepareLayer } from "../overlays/layer.ts";
import type { Box, DrawnState } from "../timeline/overlay.ts";
import type { Canvas } from "../timeline/timeline.ts";

type AnimationOptions = {
  /** The looks of a layer without files, one for each frame. Null on frames that show nothing. */
  readonly states: readonly (DrawnState | null)[];
  readonly canvas: Canvas;
  /** A CSS color. */
  readonly backdrop: string;
  /** Frames per second. */
  readonly rate: number;
};

/** Draws a layer in motion as an animated WebP image. */
export async function drawAnimation({ states, canvas, backdrop, rate }: AnimationOptions): Promise<Uint8Array> {
  const { width, height } = canvas;
  const loader = contentLoader(() => Promise.reject(new Error("The layers of an animation have no files.")));
  const frames = states.map((state, index) => ({
    key: String(index),
    async paint(context: SKRSContext2D) {
      context.fillStyle = backdrop;
      context.fillRect(0, 0, width, height);
      const layer = state && (await prepareLayer(state, canvas, loader));
      await layer?.load();
      layer?.paint(context);
    },
  }));
  return await animationOf(frames, { canvas, rate, quality: lossless });
}

/** Flat areas are small so, and parts meet without a visible edge. */
const lossless = 100;

type AnimatedFrame = {
  /** Frames in a row with the same key look the same. */
  readonly key: string;
  paint(context: SKRSContext2D): Promise<void>;
};

type AnimationFormat = { readonly canvas: Canvas; readonly rate: number; readonly quality: number };

/** Encodes frames as an animated WebP image. A frame stores what changes in it, and equal ones are one. */
export async function animationOf(
  frames: readonly AnimatedFrame[],
  { canvas, rate, quality }: AnimationFormat,
): Promise<Uint8Array> {
  const { width, height } = canvas;
  const context = newCanvas(width, height).getContext("2d");
  const startOf = (frame: number) => Math.round((frame * 1000) / rate);
  const parts: (AnimatedPart & { readonly start: number })[] = [];
  let before: Uint32Array | undefined;
  for (const [frame, { key, paint }] of frames.entries()) {
    if (frames[frame - 1]?.key === key) continue;
    await paint(context);
    const pixels = new Uint32Array(context.getImageData(0, 0, width, height).data.buffer);
    const box = before ? changedBox(before, pixels, canvas) : { x: 0, y: 0, width, height };
    before = pixels;
    if (box) parts.push({ ...box, image: await encode(context, box, quality), start: startOf(frame), milliseconds: 0 });
    // frees the pixels of the frame
    await setImmediate();
  }
  const end = startOf(frames.length);
  const timed = parts.map((part, index) => ({ ...part, milliseconds: (parts[index + 1]?.start ?? end) - part.start }));
  return animatedWebp(canvas, timed);
}

/** The part in which two frames differ, from an even position. */
function changedBox(before: Uint32Array, after: Uint32Array, { width, height }: Canvas): Box | undefined {
  let [left, top, right, bottom] = [width, height, -1, -1];
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at++) {
      if (before[at] === after[at]) continue;
      if (x < left) left = x;
      if (x > right) right = x;
      if (y < top) top = y;
      bottom = y;
    }
  }
  if (right < 0) return undefined;
  const [x, y] = [left - (left % 2), top - (top % 2)];
  return { x, y, width: right + 1 - x, height: bottom + 1 - y };
}

function encode(context: SKRSContext2D, { x, y, width, height }: Box, quality: number): Promise<Uint8Array> {
  const part = newCanvas(width, height);
  part.getContext("2d").drawImage(context.canvas, -x, -y);
  return part.encode("webp", quality);
}
