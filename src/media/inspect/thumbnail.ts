import type { MediaFacts } from "../../timeline/source.ts";
import { toThumbnail } from "../images/image.ts";
import { extractFrame, type SampleTools } from "./sample.ts";

const maxSide = 480;

/** Tried in order, as shares of the duration: videos often open with black or a title. The start always exists. */
const positions = [0.1, 0.5, 0] as const;

/** WebP needs less than this only for frames that show almost nothing. */
const minBytesPerPixel = 0.02;

/** A WebP thumbnail of an image or a video; undefined for files without a video track. */
export async function createThumbnail(
  tools: SampleTools,
  path: string,
  facts: MediaFacts,
): Promise<Uint8Array | undefined> {
  if (facts.kind === "image") return await toThumbnail(path, maxSide);
  if (facts.kind !== "video") return undefined;

  const { durationSeconds = 0 } = facts;
  const size = scaledSize(maxSide, facts);
  let best: Uint8Array | undefined;
  for (const position of positions) {
    const frame = await extractFrame(tools, path, { facts, seconds: durationSeconds * position, size });
    const thumbnail = frame && (await toThumbnail(frame, maxSide));
    if (thumbnail && thumbnail.length > (best?.length ?? 0)) best = thumbnail;
    if (best && best.length > minBytesPerPixel * size.width * size.height) return best;
  }
  return best;
}

function scaledSize(side: number, { width = side, height = side }: MediaFacts) {
  const scale = Math.min(1, side / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}
