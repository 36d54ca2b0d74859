import type { Container } from "../../../timeline/source.ts";
import { checkAvif } from "./avif.ts";
import { checkGif } from "./gif.ts";
import { checkJpeg } from "./jpeg.ts";
import { checkPng } from "./png.ts";
import { checkWebp } from "./webp.ts";

const checks: Partial<Record<Container, (file: Buffer) => void>> = {
  jpeg: checkJpeg,
  png: checkPng,
  gif: checkGif,
  webp: checkWebp,
  avif: checkAvif,
};

/**
 * Walks the container of an image, without decoding it or allocating memory for its parts. Throws
 * unsupported_media_type if decoding would cost far more than the image's pixels, or if a part of it has too many.
 * Call it before Skia gets the bytes: Skia begins to decode when it gets them.
 */
export function requireBoundedStructure(bytes: Uint8Array, container: Container): void {
  checks[container]?.(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
}
