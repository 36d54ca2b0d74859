import type { Image } from "@napi-rs/canvas";
import type { Container } from "../../timeline/source.ts";
import type { Canvas } from "../../timeline/timeline.ts";
import { openImage } from "../images/image.ts";
import { damagedImage, unsupportedMedia } from "./file-families.ts";
import { requireBoundedStructure } from "./structure/image.ts";
import { isCompleteImage } from "./truncation.ts";

const maxFileBytes = 100 * 2 ** 20;

/** Reads the upright size of an image. Throws unsupported_media_type if it is too large, too complex, damaged or truncated. */
export async function inspectImage(path: string, container: Container): Promise<Canvas> {
  const file = Bun.file(path);
  if (file.size > maxFileBytes) throw unsupportedMedia("The image file is very large: save it with more compression.");
  const bytes = await file.bytes();
  requireBoundedStructure(bytes, container);
  const { width, height } = await decode(bytes);
  if (!isCompleteImage(bytes, container)) throw damagedImage();
  return { width, height };
}

/** Width and height follow the EXIF orientation only after decoding. */
async function decode(bytes: Uint8Array): Promise<Image> {
  const image = openImage(bytes);
  try {
    await image.decode();
    return image;
  } catch (cause) {
    throw damagedImage(cause);
  }
}
