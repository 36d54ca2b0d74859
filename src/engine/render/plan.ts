import type { Quality, RenderCache, RenderPlan } from "../ports.ts";
import { formatTable, type Output } from "../timeline/format.ts";
import { framesIn } from "../timeline/time.ts";
import type { Timeline } from "../timeline/timeline.ts";
import { type CacheScope, segmentKey, soundKey } from "./cache-keys.ts";
import { hasSound, segmentEncoding, soundCodecOf } from "./encodings.ts";
import { segmentFilesOf } from "./job.ts";

type PlanOptions = {
  readonly quality: Quality;
  readonly output: Output;
  readonly scope: CacheScope;
  readonly cache: RenderCache;
};

type PlannedSegment = RenderPlan["segments"][number];

/** Splits videos as rendering does and looks up each segment in the cache. */
export async function planVideos(timelines: readonly Timeline[], options: PlanOptions): Promise<RenderPlan> {
  const { cache, scope, output } = options;
  const { format } = output;
  const segments: PlannedSegment[] = [];
  const drawn = formatTable[format].kind === "video" ? timelines : [];
  for (const timeline of drawn) segments.push(...(await planSegments(timeline, options)));
  // all timelines have the same sound
  const [timeline] = timelines;
  if (!timeline || !hasSound(format)) return { segments, soundBytes: 0 };
  return { segments, soundBytes: await cache.sizeOf(soundKey(timeline, scope, soundCodecOf(format))) };
}

async function planSegments(timeline: Timeline, { quality, output, scope, cache }: PlanOptions) {
  const { width, height } = timeline.canvas;
  const files = segmentFilesOf(timeline, output.format);
  const encoding = segmentEncoding(quality, output);
  const segments: PlannedSegment[] = [];
  for (const { range } of files) {
    const frames = framesIn(range);
    const cachedBytes = await cache.sizeOf(segmentKey({ timeline, range, encoding }, scope));
    segments.push({ frames, pixels: frames * width * height, cachedBytes });
  }
  return segments;
}
