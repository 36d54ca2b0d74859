import type { VideoFrame } from "../../domain/ai/video-metrics.ts";
import type { MediaFacts } from "../../timeline/source.ts";
import { asSimpleStill } from "./image.ts";
import { isStraightStill } from "./metadata.ts";

/** Larger pictures are scaled down by every provider. */
const maxSide = 4096;

/** An image as it is where it is taken so; else as JPEG, or as PNG where parts of it are clear. */
export async function pictureFor(
  path: string,
  facts: MediaFacts,
  mimeTypes: readonly string[],
): Promise<Omit<VideoFrame, "atSeconds">> {
  const bytes = await Bun.file(path).bytes();
  if (mimeTypes.includes(facts.mimeType) && isStraightStill(bytes, facts.container)) {
    return { bytes, mimeType: facts.mimeType };
  }
  return await asSimpleStill(bytes, { maxSide, mimeTypes });
}
