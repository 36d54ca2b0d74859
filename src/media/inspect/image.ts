import type { Image } from "@napi-rs/canvas";
import type { MediaFacts } from "../../timeline/source.ts";
import { imageOf, maxImagePixels } from "../images/image.ts";
import { isWholeImage } from "./truncation.ts";
import { commonFacts, type FileFamily, refuse } from "./types.ts";

const maxFileBytes = 100 * 2 ** 20;

/** The facts of an image that decodes to its end; throws unsupported_media_type for any other. */
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
  const image = imageOf(bytes);
  if (image.width * image.height > maxImagePixels) {
    const size = `${image.width} × ${image.height}`;
    throw refuse(`The image has ${size} pixels: make it smaller than ${maxImagePixels / 1e6} megapixels.`);
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
