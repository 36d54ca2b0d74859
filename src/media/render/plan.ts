import type { RenderCache, RenderPlan } from "../../domain/exports/renderer.ts";
import type { Quality } from "../../domain/exports/schema.ts";
import { cutSegments } from "../../timeline/segments.ts";
import { framesIn } from "../../timeline/time.ts";
import type { Timeline } from "../../timeline/timeline.ts";
import { type Maker, segmentAlias, soundKey } from "./cache-keys.ts";
import { encodingOf } from "./render.ts";

type Options = { readonly quality: Quality; readonly maker: Maker; readonly cache: RenderCache };

type PlannedSegment = RenderPlan["segments"][number];

/** Cuts films as rendering does, and asks what is there: for segments by their looks, so that nothing is drawn. */
export async function planFilms(timelines: readonly Timeline[], options: Options): Promise<RenderPlan> {
  const { cache, maker } = options;
  const segments: PlannedSegment[] = [];
  for (const timeline of timelines) segments.push(...(await planFilm(timeline, options)));
  // one edit has one sound, whatever the shapes of its frames
  const [timeline] = timelines;
  return { segments, soundBytes: timeline && (await cache.sizeOf(soundKey({ timeline }, maker))) };
}

async function planFilm(timeline: Timeline, { quality, maker, cache }: Options): Promise<readonly PlannedSegment[]> {
  const { track, rate, canvas } = timeline;
  const ranges = cutSegments(track, rate);
  const encoding = encodingOf(quality, ranges.length);
  const segments: PlannedSegment[] = [];
  for (const range of ranges) {
    const frames = framesIn(range);
    const keptBytes = await keptUnder(segmentAlias({ timeline, range, encoding }, maker), cache);
    segments.push({ frames, pixels: frames * canvas.width * canvas.height, keptBytes });
  }
  return segments;
}

async function keptUnder(alias: string, cache: RenderCache): Promise<number | undefined> {
  const key = await cache.read(alias);
  return key && (await cache.sizeOf(new TextDecoder().decode(key)));
}
