import type { Quality, Renderer, RenderOptions } from "../../../../engine/ports.ts";
import type { Output } from "../../../../engine/timeline/format.ts";
import { toSeconds } from "../../../../engine/timeline/time.ts";
import type { Timeline } from "../../../../engine/timeline/timeline.ts";
import { sum, toTenths } from "../../../../platform/values.ts";

/** The cost of an export that starts now; null where it is unknown. */
export type Estimate = {
  /** Cached segments are not rendered again. */
  readonly segments: { readonly total: number; readonly cached: number } | null;
  /** From this server's history; null before its first export of this quality. */
  readonly estimatedSeconds: number | null;
  readonly estimatedBytes: number | null;
};

export const unknownEstimate: Estimate = { segments: null, estimatedSeconds: null, estimatedBytes: null };

/**
 * Bytes per rendered pixel (a draft renders a quarter of the pixels), for users without history. Measured at 1080×1920
 * and 30 frames per second on nine camera clips: calm ones need a third or a fourth of it, grainy ones up to three
 * times as much.
 */
const defaultBytesPerPixel: Readonly<Record<Quality, number>> = { draft: 0.006, standard: 0.004, high: 0.008 };

const soundBytesPerSecond = 192_000 / 8;

/** Costs per pixel of the rendered frames. */
export type ExportHistory = {
  /** The average over all users' exports on this server, per rendered pixel. */
  readonly millisecondsPerPixel?: number | undefined;
  /** The average of the user's own videos, sound included. */
  readonly bytesPerPixel?: number | undefined;
};

export type EstimatePorts = {
  readonly renderer: Pick<Renderer, "plan">;
  readonly exports: {
    /** Costs of recent exports of one quality; undefined without any. */
    history(userId: string, quality: Quality): Promise<ExportHistory>;
  };
};

/** Takes the real size of cached segments and estimates the others by their pixels. */
export async function estimateExport(
  { renderer, exports }: EstimatePorts,
  timelines: readonly Timeline[],
  { quality, owner, projectId, output }: RenderOptions & { readonly output: Output },
): Promise<Estimate> {
  const [{ segments, soundBytes }, history] = await Promise.all([
    renderer.plan(timelines, { quality, owner, projectId, output }),
    exports.history(owner, quality),
  ]);
  const cached = segments.flatMap(({ cachedBytes }) => (cachedBytes === undefined ? [] : [cachedBytes]));
  const missing = segments.filter(({ cachedBytes }) => cachedBytes === undefined);
  const pixels = sum(missing.map((segment) => segment.pixels));
  const { millisecondsPerPixel, bytesPerPixel = defaultBytesPerPixel[quality] } = history;
  const sound = timelines.map((timeline) => soundBytes ?? soundBytesOf(timeline));
  return {
    segments: { total: segments.length, cached: cached.length },
    estimatedSeconds: millisecondsPerPixel === undefined ? null : toTenths((pixels * millisecondsPerPixel) / 1000),
    estimatedBytes: Math.round(sum(cached) + pixels * bytesPerPixel + sum(sound)),
  };
}

function soundBytesOf({ sound, track, rate }: Timeline): number {
  const isSilent = sound.pieces.length === 0 && !sound.music && !sound.voices && !sound.added;
  return isSilent ? 0 : toSeconds(track.frames, rate) * soundBytesPerSecond;
}
