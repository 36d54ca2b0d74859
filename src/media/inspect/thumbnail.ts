import type { MediaFacts } from "../../timeline/source.ts";
import type { Ffmpeg } from "../ffmpeg/ffmpeg.ts";
import { thumbnailOf } from "../images/image.ts";
import { pictureAt } from "./sample.ts";

const maxSide = 480;

/** Openings are often black or a title: a good picture lies a little way in. The start is there in any case. */
const goodPlaces = [0.1, 0.5, 0] as const;

/** A picture that packs into less than this shows next to nothing. */
const plainBytesPerPixel = 0.02;

/** A small WebP picture of an image or a video; undefined for files without a picture. */
export async function thumbnailFor(ffmpeg: Ffmpeg, path: string, facts: MediaFacts): Promise<Uint8Array | undefined> {
  if (facts.kind === "image") return await thumbnailOf(path, maxSide);
  if (facts.kind !== "video") return undefined;

  const { durationSeconds = 0 } = facts;
  const size = within(maxSide, facts);
  let best: Uint8Array | undefined;
  for (const place of goodPlaces) {
    const picture = await pictureAt(ffmpeg, path, facts, { seconds: durationSeconds * place, size });
    const thumbnail = picture && (await thumbnailOf(picture, maxSide));
    if (thumbnail && thumbnail.length > (best?.length ?? 0)) best = thumbnail;
    if (best && best.length > plainBytesPerPixel * size.width * size.height) return best;
  }
  return best;
}

function within(side: number, { width = side, height = side }: MediaFacts) {
  const scale = Math.min(1, side / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}
