import { type Canvas as Bitmap, Image, type SKRSContext2D } from "@napi-rs/canvas";
import { coverSize, sizeWithin } from "../drawing/box.ts";
import type { Drawing } from "../drawing/drawing.ts";
import { newCanvas } from "../drawing/new-canvas.ts";
import { maxImagePixels } from "../inspect/structure/refusal.ts";
import { mayBeLottie } from "../lottie/sniff.ts";
import { unreadableImage } from "../sandbox/failures.ts";
import type { DrawnImage } from "../timeline/overlay.ts";
import type { MediaFacts } from "../timeline/source.ts";
import type { Canvas } from "../timeline/timeline.ts";

/** Converts an image to an upright PNG with its alpha, no side longer than `maxSide`. */
export async function prepareImage(path: string, facts: MediaFacts, maxSide: number): Promise<Uint8Array> {
  requirePixelLimit(facts);
  const image = await decodeImage(await Bun.file(path).bytes());
  return await scaleDown(image, maxSide).encode("png");
}

/** Draws an image scaled to cover a size, cropped evenly, transparency on black. Returns opaque RGBA pixels. */
export async function drawCoverImage(path: string, facts: MediaFacts, size: Canvas): Promise<Uint8Array> {
  const image = await decodeUpright(path, facts);
  const context = newCanvas(size.width, size.height).getContext("2d");
  context.fillRect(0, 0, size.width, size.height);
  context.imageSmoothingQuality = "high";
  paintCentered(context, image, coverSize(size, image));
  return context.canvas.data();
}

export async function decodeUpright(path: string, facts: MediaFacts): Promise<Image> {
  requirePixelLimit(facts);
  return await decodeImage(await Bun.file(path).bytes());
}

export function paintCentered(context: SKRSContext2D, image: Image, { width, height }: Canvas): void {
  const { canvas } = context;
  context.drawImage(image, (canvas.width - width) / 2, (canvas.height - height) / 2, width, height);
}

export type ConvertedImage = { readonly bytes: Uint8Array; readonly mimeType: "image/png" | "image/jpeg" };

type ConversionOptions = { readonly maxSide: number; readonly mimeTypes: readonly string[] };

/** Converts the first frame of an image, upright: to PNG if it has transparency, else to JPEG, as `mimeTypes` allow. */
export async function convertImage(
  bytes: Uint8Array,
  { maxSide, mimeTypes }: ConversionOptions,
): Promise<ConvertedImage> {
  const bitmap = scaleDown(await decodeImage(bytes), maxSide);
  const acceptsJpeg = mimeTypes.includes("image/jpeg");
  const needsAlpha = mimeTypes.includes("image/png") && hasTransparency(bitmap);
  if (!acceptsJpeg || needsAlpha) return { bytes: await bitmap.encode("png"), mimeType: "image/png" };
  return { bytes: await flattenOnBlack(bitmap).encode("jpeg", 90), mimeType: "image/jpeg" };
}

/** Converts an image to JPEG of the same size. */
export async function toJpeg(image: Uint8Array): Promise<Uint8Array> {
  return await scaleDown(await decodeImage(image), Number.POSITIVE_INFINITY).encode("jpeg", 88);
}

/** Examines a small copy, where single translucent edge pixels disappear. */
export function hasTransparency(bitmap: Bitmap | Image): boolean {
  const width = Math.min(64, bitmap.width);
  const height = Math.min(64, bitmap.height);
  const context = newCanvas(width, height).getContext("2d");
  context.drawImage(bitmap, 0, 0, width, height);
  return context.getImageData(0, 0, width, height).data.some((level, index) => index % 4 === 3 && level < 250);
}

function flattenOnBlack(bitmap: Bitmap): Bitmap {
  const context = bitmap.getContext("2d");
  context.globalCompositeOperation = "destination-over";
  context.fillRect(0, 0, bitmap.width, bitmap.height);
  return bitmap;
}

/** Creates an upright WebP thumbnail. */
export async function toThumbnail(image: string | Uint8Array, maxSide: number): Promise<Uint8Array> {
  const bytes = typeof image === "string" ? await Bun.file(image).bytes() : image;
  return await scaleDown(await decodeImage(bytes), maxSide).encode("webp", 80);
}

/** The image overlay as a drawing; undefined if its box is empty. */
export async function drawImage(content: DrawnImage, path: string): Promise<Drawing | undefined> {
  const { width, height } = content.box;
  if (!(width > 0 && height > 0)) return undefined;
  return imageDrawing(content, await decodeUpright(path, content.source.facts));
}

/** A decoded image as a drawing; undefined if its box is empty. `shape` has its exact proportions. */
export function imageDrawing(
  { box, fit, focus, zoom = 1 }: Pick<DrawnImage, "box" | "fit" | "focus" | "zoom">,
  image: Image | Bitmap,
  shape: Canvas = image,
): Drawing | undefined {
  if (!(box.width > 0 && box.height > 0)) return undefined;
  const { width, height } = fit === "contain" ? sizeWithin(box, shape) : box;
  const area = { x: -width / 2, y: -height / 2, width, height };
  const covered = fit === "cover" ? sizeWithin(shape, box) : shape;
  const visible = { width: covered.width / zoom, height: covered.height / zoom };
  const cropped = (length: number, shown: number, middle: number) =>
    Math.min(Math.max(0, middle * length - shown / 2), length - shown);
  return {
    center: { x: box.x + box.width / 2, y: box.y + box.height / 2 },
    box: area,
    bounds: area,
    shadowReach: 0,
    paint(context) {
      context.imageSmoothingQuality = "high";
      const [scaleX, scaleY] = [image.width / shape.width, image.height / shape.height];
      const x = cropped(shape.width, visible.width, focus?.x ?? 0.5) * scaleX;
      const y = cropped(shape.height, visible.height, focus?.y ?? 0.5) * scaleY;
      const [width, height] = [visible.width * scaleX, visible.height * scaleY];
      context.drawImage(image, x, y, width, height, area.x, area.y, area.width, area.height);
    },
  };
}

/** Reports the size in the header immediately. Skia begins to decode in another thread. */
export function openImage(bytes: Uint8Array): Image {
  const image = new Image();
  image.src = bytes;
  return image;
}

/** Decodes the first frame, or draws the middle of a Lottie animation, rotated upright by its EXIF orientation. */
export async function decodeImage(file: Uint8Array): Promise<Image> {
  // most images are none
  const bytes = mayBeLottie(file) ? await (await import("../lottie/draw.ts")).lottieStill(file) : file;
  const image = openImage(bytes);
  requirePixelLimit(image);
  try {
    await image.decode();
  } catch (cause) {
    throw unreadableImage(cause);
  }
  return image;
}

function requirePixelLimit({ width = 0, height = 0 }: { readonly width?: number; readonly height?: number }): void {
  if (width * height > maxImagePixels) throw unreadableImage();
}

function scaleDown(image: Image, maxSide: number): Bitmap {
  const scale = Math.min(1, maxSide / Math.max(image.width, image.height));
  const bitmap = newCanvas(Math.max(1, Math.round(image.width * scale)), Math.max(1, Math.round(image.height * scale)));
  const context = bitmap.getContext("2d");
  context.imageSmoothingQuality = "high";
  context.drawImage(image, 0, 0, bitmap.width, bitmap.height);
  return bitmap;
}
