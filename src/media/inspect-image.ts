import { imageSize } from "image-size";
import type { MediaFacts } from "../timeline/source.ts";
import { thumbnailOf } from "./image.ts";
import { commonFacts, type FileFamily, refuse } from "./inspect-types.ts";

const headBytes = 8 * 2 ** 20;
const maxPixels = 50_000_000;

/** EXIF orientations from here on lie on their side. */
const firstSideways = 5;

export async function inspectImage(path: string, family: FileFamily): Promise<MediaFacts> {
  const { width, height } = await uprightSize(path);
  if (width * height > maxPixels) {
    throw refuse(`The image has ${width} × ${height} pixels: make it smaller than ${maxPixels / 1e6} megapixels.`);
  }
  await requireDecodable(path);
  return { kind: "image", ...commonFacts(family), width, height };
}

async function uprightSize(path: string) {
  try {
    const { width, height, orientation = 1 } = imageSize(await Bun.file(path).slice(0, headBytes).bytes());
    return orientation < firstSideways ? { width, height } : { width: height, height: width };
  } catch (cause) {
    throw damaged(cause);
  }
}

async function requireDecodable(path: string): Promise<void> {
  try {
    await thumbnailOf(path, 16);
  } catch (cause) {
    throw damaged(cause);
  }
}

const damaged = (cause: unknown) => refuse("The image is damaged or incomplete: save it again and upload that.", cause);
