import type { RenderCache, RenderPlan } from "../../domain/exports/renderer.ts";
import type { Quality } from "../../domain/exports/schema.ts";
import { framesIn } from "../../timeline/time.ts";
import type { Timeline } from "../../timeline/timeline.ts";
import { type CacheScope, segmentKey, soundKey } from "./cache-keys.ts";
import { encodingFor } from "./encodings.ts";
import { segmentFilesOf } from "./segment-files.ts";

type PlanOptions = { readonly quality: Quality; readonly scope: CacheScope; readonly cache: RenderCache };

type PlannedSegment = RenderPlan["segments"][number];

/** Splits videos as rendering does and looks up each segment in the cache. */
export async function planVideos(timelines: readonly Timeline[], options: PlanOptions): Promise<RenderPlan> {
  const { cache, scope } = options;
  const segments: PlannedSegment[] = [];
  for (const timeline of timelines) segments.push(...(await planSegments(timeline, options)));
  // all timelines have the same sound
  const [timeline] = timelines;
  return { segments, soundBytes: timeline && (await cache.sizeOf(soundKey(timeline, scope))) };
}

async function planSegments(timeline: Timeline, { quality, scope, cache }: PlanOptions) {
  const { width, height } = timeline.canvas;
  const files = segmentFilesOf(timeline);
  const encoding = encodingFor(quality);
  const segments: PlannedSegment[] = [];
  for (const { range } of files) {
    const frames = framesIn(range);
    const cachedBytes = await cache.sizeOf(segmentKey({ timeline, range, encoding }, scope));
    segments.push({ frames, pixels: frames * width * height, cachedBytes });
  }
  return segments;
}
