import { availableParallelism } from "node:os";
import type { Command } from "../../compiler/command.ts";
import { compileStreamFrames } from "../../compiler/frames.ts";
import { cutSegments } from "../../timeline/segments.ts";
import { type FrameRange, isInside } from "../../timeline/time.ts";
import { segmentKey } from "../render/cache-keys.ts";
import { encodingFor } from "../render/encodings.ts";
import { extractFrames } from "./h264-extract.ts";
import type { FramesJob } from "./job.ts";

/** A segment of an export that the cache may hold, and the frames of the job that lie in it. */
type Segment = { readonly range: FrameRange; readonly key: string; readonly frames: readonly number[] };

function segmentsOf({ timeline, frames, quality, scope }: FramesJob): readonly Segment[] {
  const ranges = cutSegments(timeline);
  const encoding = encodingFor(quality);
  return ranges.flatMap((range) => {
    const inside = frames.filter((frame) => isInside(frame, range));
    return inside.length > 0 ? [{ range, key: segmentKey({ timeline, range, encoding }, scope), frames: inside }] : [];
  });
}

/** The keys of the cached segments that frames lie in, by frame. */
export async function findCachedSegments(job: FramesJob): Promise<ReadonlyMap<number, string>> {
  const found = segmentsOf(job).map(async ({ key, frames }) => {
    const isCached = (await job.segmentCache.sizeOf(key)) !== undefined;
    return isCached ? frames.map((frame) => [frame, key] as const) : [];
  });
  return new Map((await Promise.all(found)).flat());
}

/** A cached segment, linked into the job's folder so that it stays until the job ends. */
export type LinkedSegment = Segment & { readonly path: string };

export async function linkCachedSegments(job: FramesJob): Promise<readonly LinkedSegment[]> {
  const linked: LinkedSegment[] = [];
  for (const segment of segmentsOf(job)) {
    const path = `${job.folder}/segment-${segment.range.start}.mp4`;
    if (await job.segmentCache.linkTo(segment.key, path)) linked.push({ ...segment, path });
  }
  return linked;
}

/** The command that decodes frames of segments. All segments of an export go through one decoder. */
export async function decodeSegments(
  { timeline: { rate }, frames, size, folder }: FramesJob,
  segments: readonly LinkedSegment[],
  output: string,
): Promise<Command> {
  const path = `${folder}/segments.h264`;
  const wanted = segments.map((segment) => ({
    path: segment.path,
    frames: frames.filter((frame) => isInside(frame, segment.range)).map((frame) => frame - segment.range.start),
  }));
  const streamFrames = await extractFrames(
    wanted.filter((each) => each.frames.length > 0),
    path,
  );
  return compileStreamFrames({ path, frames: streamFrames, rate, size, threads: availableParallelism() }, output);
}
