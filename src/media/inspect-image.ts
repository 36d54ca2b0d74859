import { Image } from "@napi-rs/canvas";
import type { MediaFacts } from "../timeline/source.ts";
import { isWholeImage } from "./image-end.ts";
import { commonFacts, type FileFamily, refuse } from "./inspect-types.ts";

const maxFileBytes = 100 * 2 ** 20;
const maxPixels = 50_000_000;

export async function inspectImage(path: string, family: FileFamily): Promise<MediaFacts> {
  const file = Bun.file(path);
  if (file.size > maxFileBytes) throw refuse("The image file is very large: save it with more compression.");
  const bytes = await file.bytes();
  const { width, height } = await decode(bytes);
  if (!isWholeImage(bytes, family.container)) throw damaged();
  return { kind: "image", ...commonFacts(family), width, height };
}

/** Its size is upright, as EXIF asks, only once it is decoded. */
async function decode(bytes: Uint8Array): Promise<Image> {
  const image = new Image();
  // reads the header alone: nothing is decoded before the size is known
  image.src = bytes;
  if (image.width * image.height > maxPixels) {
    const size = `${image.width} × ${image.height}`;
    throw refuse(`The image has ${size} pixels: make it smaller than ${maxPixels / 1e6} megapixels.`);
  }
  try {
    await image.decode();
    return image;
  } catch (cause) {
    throw damaged(cause);
  }
}

const damaged = (cause?: unknown) =>
  refuse("The image is damaged or incomplete: save it again and upload that.", cause);
