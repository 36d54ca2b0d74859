import { toSeconds } from "../../../timeline/time.ts";
import type { Timeline } from "../../../timeline/timeline.ts";
import type { Services } from "../../services.ts";
import type { Quality } from "../schema.ts";

/** What an export would cost now; null where it cannot be known. */
export type Estimate = {
  /** Those in the cache are not rendered again. */
  readonly segments: { readonly total: number; readonly cached: number } | null;
  /** By this server's own history: null until it has exported a film of this quality. */
  readonly estimatedSeconds: number | null;
  readonly estimatedBytes: number | null;
};

export const unestimated: Estimate = { segments: null, estimatedSeconds: null, estimatedBytes: null };

/**
 * By the pixels that are drawn; a draft draws a quarter. Measured at 1080×1920 and 30 frames a second: clean pictures
 * need a tenth of it, fine structure with grain three times as much.
 */
const usualBytesPerPixel: Readonly<Record<Quality, number>> = { draft: 0.024, standard: 0.01, high: 0.016 };

const soundBytesPerSecond = 192_000 / 8;

type Order = { readonly quality: Quality; readonly owner: string };

/** Counts what is there already as it is, and the rest by its pixels. */
export async function estimateOf(
  { renderer, exports }: Pick<Services, "renderer" | "exports">,
  timelines: readonly Timeline[],
  { quality, owner }: Order,
): Promise<Estimate> {
  const [{ segments, soundBytes }, history] = await Promise.all([
    renderer.plan(timelines, { quality, owner }),
    exports.history(owner, quality),
  ]);
  const kept = segments.filter(({ keptBytes }) => keptBytes !== undefined);
  const keptBytes = kept.reduce((sum, segment) => sum + (segment.keptBytes ?? 0), 0);
  const missing = segments.filter((segment) => !kept.includes(segment));
  const pixels = missing.reduce((sum, segment) => sum + segment.pixels, 0);
  const { millisecondsPerPixel, bytesPerPixel = usualBytesPerPixel[quality] } = history;
  const sound = timelines.map((timeline) => soundBytes ?? soundBytesOf(timeline));
  return {
    segments: { total: segments.length, cached: kept.length },
    estimatedSeconds: millisecondsPerPixel === undefined ? null : tenths((pixels * millisecondsPerPixel) / 1000),
    estimatedBytes: Math.round(sound.reduce((sum, bytes) => sum + bytes, keptBytes + pixels * bytesPerPixel)),
  };
}

function soundBytesOf({ sound, track, rate }: Timeline): number {
  const isSilent = sound.pieces.length === 0 && !sound.music;
  return isSilent ? 0 : toSeconds(track.frames, rate) * soundBytesPerSecond;
}

const tenths = (seconds: number): number => Math.round(seconds * 10) / 10;
