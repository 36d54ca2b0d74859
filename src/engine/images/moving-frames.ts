import type { Canvas as Bitmap, SKRSContext2D } from "@napi-rs/canvas";
import { newCanvas } from "../drawing/new-canvas.ts";
import { unreadableImage } from "../sandbox/failures.ts";
import { decodeImage } from "./image.ts";
import type { MovingImage, MovingPart } from "./moving-image.ts";

/** Bitmaps of pictures that are kept, so that a round is not decoded again: of all animations of a task. */
export type BitmapBudget = { bytes: number };

export const bitmapBudget = (): BitmapBudget => ({ bytes: 96 * 2 ** 20 });

/** A bitmap, which may change after `free`: memory that waits for the garbage collector adds up. */
export type FreedBitmap = { readonly bitmap: Bitmap; free(): void };

/** The pictures of an animation, each as a whole: they are painted over each other, so it decodes those before it. */
export function movingFrames(image: MovingImage, budget: BitmapBudget): (index: number) => Promise<FreedBitmap> {
  const { width, height, parts } = image;
  const kept = new Map<number, Bitmap>();
  const spares = new Set<Bitmap>();
  let context: SKRSContext2D | undefined;
  let next = 0;
  let before: Bitmap | undefined;

  const paint = async (part: MovingPart): Promise<void> => {
    const last = parts[next - 1];
    if (next === 0 || !context) context = newCanvas(width, height).getContext("2d");
    else if (last?.after === "cleared") context.clearRect(last.x, last.y, last.width, last.height);
    else if (before) replace(context, before);
    before = part.after === "restored" ? copyOf(context.canvas) : undefined;
    const decoded = await decodeImage(part.file());
    if (part.replaces) context.clearRect(part.x, part.y, part.width, part.height);
    context.drawImage(decoded, part.x, part.y);
    // frees its pixels
    decoded.src = noBytes;
    next++;
  };

  return async (index) => {
    const found = kept.get(index);
    if (found) return { bitmap: found, free() {} };
    const wanted = parts[index];
    if (!wanted) throw unreadableImage();
    if (index < next - 1) next = 0;
    while (next <= index) await paint(parts[next]!);
    const [spare] = spares;
    const bitmap = spare ?? newCanvas(width, height);
    spares.delete(bitmap);
    replace(bitmap.getContext("2d"), context!.canvas); // safe because a picture was painted
    // a few of a long animation save nothing
    const isKept = 4 * width * height <= maxKeptBytes && budget.bytes >= 4 * width * height;
    if (isKept) {
      budget.bytes -= 4 * width * height;
      kept.set(index, bitmap);
    }
    return { bitmap, free: () => void (isKept || spares.add(bitmap)) };
  };
}

const maxKeptBytes = 16 * 2 ** 20;

const noBytes = new Uint8Array();

function copyOf(canvas: Bitmap): Bitmap {
  const copy = newCanvas(canvas.width, canvas.height);
  copy.getContext("2d").drawImage(canvas, 0, 0);
  return copy;
}

function replace(context: SKRSContext2D, bitmap: Bitmap): void {
  context.clearRect(0, 0, bitmap.width, bitmap.height);
  context.drawImage(bitmap, 0, 0);
}
