import { LottieAnimation, type SKRSContext2D } from "@napi-rs/canvas";
import { newCanvas } from "../drawing/new-canvas.ts";
import type { Canvas } from "../timeline/timeline.ts";
import { type ColorMap, replaceColors } from "./colors.ts";
import { type Lottie, readLottie } from "./read.ts";
import { notLottie } from "./refusals.ts";
import { drawTexts, type WordMap } from "./texts.ts";

export type LottieChanges = { readonly colors: ColorMap; readonly texts: WordMap };

/** An animation, ready to be painted: a frame of its own, which may lie between two, into a size at the origin. */
export type LottieDrawing = Canvas & { paint(context: SKRSContext2D, frame: number, size: Canvas): void };

/** `scale` is the number of pixels for one of the animation. */
export async function prepareLottie(
  bytes: Uint8Array,
  { colors, texts }: LottieChanges,
  scale: number,
): Promise<LottieDrawing> {
  const lottie = readLottie(bytes);
  replaceColors(lottie.json, colors);
  await drawTexts(lottie.json, texts, Math.min(8, Math.max(1, scale)));
  const animation = load(lottie);
  const { width, height, firstFrame } = lottie;
  let bitmap = newCanvas(1, 1);
  return {
    width,
    height,
    paint(context, frame, size) {
      // the library paints over a canvas without its transform, its clip and its alpha
      const wanted = deviceScale(context, size, lottie);
      const [across, down] = [width * wanted, height * wanted];
      if (bitmap.width !== Math.ceil(across) || bitmap.height !== Math.ceil(down)) {
        bitmap = newCanvas(Math.ceil(across), Math.ceil(down));
      }
      const own = bitmap.getContext("2d");
      own.clearRect(0, 0, bitmap.width, bitmap.height);
      animation.seekFrame(frame - firstFrame);
      animation.render(own, { x: 0, y: 0, width: across, height: down });
      context.imageSmoothingQuality = "high";
      context.drawImage(bitmap, 0, 0, across, down, 0, 0, size.width, size.height);
    },
  };
}

const maxSide = 4096;

/** The pixels of the context for one of the animation, where it is painted in a size. */
function deviceScale(context: SKRSContext2D, size: Canvas, own: Canvas): number {
  const { a, b, c, d } = context.getTransform();
  const across = (size.width / own.width) * Math.hypot(a, b);
  const down = (size.height / own.height) * Math.hypot(c, d);
  const largest = maxSide / Math.max(own.width, own.height);
  return Math.max(1 / Math.min(own.width, own.height), Math.min(largest, Math.max(across, down)));
}

function load({ json }: Lottie): LottieAnimation {
  try {
    return LottieAnimation.loadFromData(Buffer.from(JSON.stringify(json)));
  } catch {
    throw notLottie();
  }
}

const noChanges: LottieChanges = { colors: {}, texts: {} };

const stillSide = 1440;

/** The animation in its middle, as PNG: its beginning is often empty. */
export async function lottieStill(bytes: Uint8Array): Promise<Uint8Array> {
  const { width, height, firstFrame, endFrame } = readLottie(bytes);
  const scale = Math.min(stillSide / Math.max(width, height), 8);
  const size = { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
  const drawing = await prepareLottie(bytes, noChanges, scale);
  const canvas = newCanvas(size.width, size.height);
  drawing.paint(canvas.getContext("2d"), (firstFrame + endFrame) / 2, size);
  return await canvas.encode("png");
}
