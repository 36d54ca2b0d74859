import type { TaskOptions } from "../../../platform/limits/concurrency-limit.ts";
import { sum } from "../../../platform/values.ts";
import type { SourcePaths } from "../../compiler/sources.ts";
import { clipTime } from "../../motion/clip-time.ts";
import { SandboxTaskError } from "../../sandbox/failures.ts";
import type { TaskPool } from "../../sandbox/task-pool.ts";
import type { Source } from "../../timeline/source.ts";
import { type FrameRange, isInside } from "../../timeline/time.ts";
import type { Timeline } from "../../timeline/timeline.ts";
import { type Clip, clipsOf, type Track } from "../../timeline/track.ts";

/** A missing segment. */
export type Ranged = { readonly range: FrameRange };

/** The frames at which a track can be split into encode tasks, and the costs. */
export type Splits = {
  /** The frames at which tasks should begin: the start or the end of each transition, whichever costs less. */
  readonly clipStarts: ReadonlySet<number>;
  /** The frames that a task decodes needlessly if it begins at a frame: ongoing clips since their keyframes. */
  readonly leadInAt: (frame: number) => number;
};

/** With fewer segments, better splits save less than reading keyframes costs. */
const minSegments = 4;

type Video = { readonly timeline: Timeline; readonly files: SourcePaths };

/** Reads the keyframes of the MP4 videos that the segments show. Others, and files that take too long, count as
 * if each frame were a keyframe. */
export async function findSplits(
  canvas: TaskPool,
  { timeline: { track, rate }, files }: Video,
  segments: readonly Ranged[],
  options: TaskOptions,
): Promise<Splits> {
  const starts = new Set(segments.map(({ range }) => range.start));
  const sources = segments.length < minSegments ? [] : mp4VideosIn(track, segments);
  const read = sources.map(async (source) => {
    const listing = canvas.run("listKeyframes", { path: files.pathOf(source) }, options);
    const { seconds = [] } = await listing.catch((error): { seconds?: readonly number[] } => {
      if (error instanceof SandboxTaskError) return {};
      throw error;
    });
    return [source.file, seconds] as const;
  });
  const keyframes = new Map(await Promise.all(read));

  const leadInOf = (clip: Clip, frame: number): number => {
    const seconds = clipTime(clip, frame - clip.range.start, rate);
    const keyframe = keyframes.get(clip.source.file)?.findLast((time) => time <= seconds);
    return keyframe === undefined ? 0 : ((seconds - keyframe) * rate.num) / rate.den;
  };
  const leadInAt = (frame: number): number => {
    const before = clipsAt(track, frame - 1);
    const goOn = clipsAt(track, frame).filter((clip) => before.includes(clip));
    return sum(goOn.map((clip) => leadInOf(clip, frame)));
  };
  return { leadInAt, clipStarts: clipStartsOf(track, starts, leadInAt) };
}

function mp4VideosIn({ spans }: Track, segments: readonly Ranged[]): readonly Source[] {
  const shown = spans.filter(({ range }) =>
    segments.some((segment) => segment.range.start < range.end && range.start < segment.range.end),
  );
  const sources = shown.flatMap((span) => clipsOf(span).map(({ source }) => source));
  const videos = sources.filter(({ facts }) => facts.kind === "video" && facts.container === "mp4");
  return [...new Map(videos.map((source) => [source.file, source])).values()];
}

const clipsAt = ({ spans }: Track, frame: number): readonly Clip[] =>
  spans.filter(({ range }) => isInside(frame, range)).flatMap(clipsOf);

function clipStartsOf({ spans }: Track, starts: ReadonlySet<number>, leadInAt: Splits["leadInAt"]): Set<number> {
  const clipStarts = new Set<number>();
  for (const [index, { kind, range }] of spans.entries()) {
    if (kind === "transition") continue;
    const before = spans[index - 1];
    const candidates = [range.start, before?.kind === "transition" ? before.whole.start : range.start];
    const possible = candidates.filter((frame) => starts.has(frame));
    if (possible.length > 0) clipStarts.add(possible.toSorted((one, other) => leadInAt(one) - leadInAt(other))[0]!);
  }
  return clipStarts;
}
