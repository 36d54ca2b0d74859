import type { Image } from "@napi-rs/canvas";
import type { MediaFacts } from "../../timeline/source.ts";
import { maxImagePixels, openImage } from "../images/image.ts";
import { commonFacts, type FileFamily, unsupportedMedia } from "./file-families.ts";
import { isCompleteImage } from "./truncation.ts";

const maxFileBytes = 100 * 2 ** 20;

/** Reads the facts of an image. Throws unsupported_media_type if it is too large, damagedImage or truncated. */
export async function inspectImage(path: string, family: FileFamily): Promise<MediaFacts> {
  const file = Bun.file(path);
  if (file.size > maxFileBytes) throw unsupportedMedia("The image file is very large: save it with more compression.");
  const bytes = await file.bytes();
  const { width, height } = await decode(bytes);
  if (!isCompleteImage(bytes, family.container)) throw damagedImage();
  return { kind: "image", ...commonFacts(family), width, height };
}

/** Width and height follow the EXIF orientation only after decoding. */
async function decode(bytes: Uint8Array): Promise<Image> {
  const image = openImage(bytes);
  if (image.width * image.height > maxImagePixels) {
    const size = `${image.width} × ${image.height}`;
    throw unsupportedMedia(`The image has ${size} pixels: make it smaller than ${maxImagePixels / 1e6} megapixels.`);
  }
  try {
    await image.decode();
    return image;
  } catch (cause) {
    throw damagedImage(cause);
  }
}

const damagedImage = (cause?: unknown) =>
  unsupportedMedia("The image is damaged or incomplete: save it again and upload that.", cause);
