import type { MediaFacts } from "../timeline/source.ts";
import type { Ffmpeg } from "./ffmpeg.ts";
import { thumbnailOf } from "./image.ts";
import { pictureAt } from "./inspect-sample.ts";

const maxSide = 480;

/** Openings are often black or a title: a good picture lies a little way in. */
const goodPlace = 0.1;

export async function thumbnailFor(ffmpeg: Ffmpeg, path: string, facts: MediaFacts): Promise<Uint8Array | undefined> {
  if (facts.kind === "image") return await thumbnailOf(path, maxSide);
  if (facts.kind !== "video") return undefined;

  const size = within(maxSide, facts);
  const places = [(facts.durationSeconds ?? 0) * goodPlace, 0];
  for (const seconds of places) {
    const picture = await pictureAt(ffmpeg, path, facts, { seconds, size });
    if (picture) return await thumbnailOf(picture, maxSide);
  }
  return undefined;
}

function within(side: number, { width = side, height = side }: MediaFacts) {
  const scale = Math.min(1, side / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}
