import { type Canvas as Bitmap, createCanvas, Image } from "@napi-rs/canvas";
import { DomainError } from "../../errors.ts";
import type { ImagePicture } from "../../timeline/overlay.ts";
import type { MediaFacts } from "../../timeline/source.ts";
import type { Canvas } from "../../timeline/timeline.ts";
import type { Drawing } from "../drawing/drawing.ts";

/** A small file can hold a picture that fills the memory. */
export const maxImagePixels = 50_000_000;

/** An image as an upright PNG, its alpha kept, no side longer than `maxSide`. */
export async function prepareStill(path: string, facts: MediaFacts, maxSide: number): Promise<Uint8Array> {
  requireModestSize(facts);
  const image = await openImage(await Bun.file(path).bytes());
  return await scaledDown(image, maxSide).encode("png");
}

/** An image that fills a size as an opaque PNG: what does not fit is cut off on both sides alike, clear parts are black. */
export async function coveringStill(path: string, facts: MediaFacts, { width, height }: Canvas): Promise<Uint8Array> {
  requireModestSize(facts);
  const image = await openImage(await Bun.file(path).bytes());
  const scale = Math.max(width / image.width, height / image.height);
  const own = { width: image.width * scale, height: image.height * scale };
  const context = createCanvas(width, height).getContext("2d");
  context.fillRect(0, 0, width, height);
  context.imageSmoothingQuality = "high";
  context.drawImage(image, (width - own.width) / 2, (height - own.height) / 2, own.width, own.height);
  return await context.canvas.encode("png");
}

type Simple = { readonly maxSide: number; readonly mimeTypes: readonly string[] };

/** The first picture of an image, upright, in a format that everybody reads: PNG where it has clear parts, else JPEG. */
export async function asSimpleStill(bytes: Uint8Array, { maxSide, mimeTypes }: Simple) {
  const bitmap = scaledDown(await openImage(bytes), maxSide);
  const takesJpeg = mimeTypes.includes("image/jpeg");
  const keepsAlpha = mimeTypes.includes("image/png") && hasClearParts(bitmap);
  if (!takesJpeg || keepsAlpha) return { bytes: await bitmap.encode("png"), mimeType: "image/png" };
  return { bytes: await overBlack(bitmap).encode("jpeg", 90), mimeType: "image/jpeg" };
}

/** A picture as JPEG, of the same size. */
export async function jpegOf(image: Uint8Array): Promise<Uint8Array> {
  return await scaledDown(await openImage(image), Number.POSITIVE_INFINITY).encode("jpeg", 88);
}

/** As a small copy shows it: a few clear pixels at an edge are no shape. */
function hasClearParts(bitmap: Bitmap): boolean {
  const { width, height } = { width: Math.min(64, bitmap.width), height: Math.min(64, bitmap.height) };
  const context = createCanvas(width, height).getContext("2d");
  context.drawImage(bitmap, 0, 0, width, height);
  return context.getImageData(0, 0, width, height).data.some((level, index) => index % 4 === 3 && level < 250);
}

function overBlack(bitmap: Bitmap): Bitmap {
  const context = bitmap.getContext("2d");
  context.globalCompositeOperation = "destination-over";
  context.fillRect(0, 0, bitmap.width, bitmap.height);
  return bitmap;
}

/** A small upright WebP picture of an image. */
export async function thumbnailOf(image: string | Uint8Array, maxSide: number): Promise<Uint8Array> {
  const bytes = typeof image === "string" ? await Bun.file(image).bytes() : image;
  return await scaledDown(await openImage(bytes), maxSide).encode("webp", 80);
}

/** An image as a drawing; undefined when its box is empty. */
export async function drawImage({ box, fit, source }: ImagePicture, path: string): Promise<Drawing | undefined> {
  if (!(box.width > 0 && box.height > 0)) return undefined;
  requireModestSize(source.facts);
  const image = await openImage(await Bun.file(path).bytes());
  const scale = Math.min(box.width / image.width, box.height / image.height);
  const { width, height } = fit === "stretch" ? box : { width: image.width * scale, height: image.height * scale };
  const area = { x: -width / 2, y: -height / 2, width, height };
  return {
    center: { x: box.x + box.width / 2, y: box.y + box.height / 2 },
    box: area,
    bounds: area,
    reach: 0,
    paint(context) {
      context.imageSmoothingQuality = "high";
      context.drawImage(image, area.x, area.y, area.width, area.height);
    },
  };
}

/** An image whose header alone is read: nothing is decoded before the size is known. */
export function imageOf(bytes: Uint8Array): Image {
  const image = new Image();
  image.src = bytes;
  return image;
}

/** Decodes the first picture of a file, turned upright as its EXIF says. */
async function openImage(bytes: Uint8Array): Promise<Image> {
  const image = imageOf(bytes);
  requireModestSize(image);
  try {
    await image.decode();
  } catch (cause) {
    throw unreadable(cause);
  }
  return image;
}

function requireModestSize({ width = 0, height = 0 }: { readonly width?: number; readonly height?: number }): void {
  if (width * height > maxImagePixels) throw unreadable();
}

const unreadable = (cause?: unknown) =>
  new DomainError("source_unreadable", { path: "images", what: "An image" }, { cause });

function scaledDown(image: Image, maxSide: number): Bitmap {
  const scale = Math.min(1, maxSide / Math.max(image.width, image.height));
  const bitmap = createCanvas(
    Math.max(1, Math.round(image.width * scale)),
    Math.max(1, Math.round(image.height * scale)),
  );
  const context = bitmap.getContext("2d");
  context.imageSmoothingQuality = "high";
  context.drawImage(image, 0, 0, bitmap.width, bitmap.height);
  return bitmap;
}
