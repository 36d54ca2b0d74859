import { availableParallelism } from "node:os";
import { compileSegments } from "../../compiler/compile.ts";
import type { Encoding } from "../../compiler/encoding.ts";
import type { ExportProgress } from "../../domain/exports/jobs.ts";
import type { Quality } from "../../domain/exports/schema.ts";
import { cutSegments } from "../../timeline/segments.ts";
import { type FrameRange, framesIn } from "../../timeline/time.ts";
import type { Timeline } from "../../timeline/timeline.ts";
import { requireFrames } from "../ffmpeg/run.ts";
import { segmentKey } from "./cache-keys.ts";
import type { RenderJob, Video } from "./job.ts";
import type { Task } from "./run-all.ts";

/** A range of frames that encodes alone, and its file name in the folder of each video. */
export type SegmentFile = { readonly range: FrameRange; readonly name: string };

export const segmentFilesOf = ({ track, rate }: Timeline): readonly SegmentFile[] =>
  cutSegments(track, rate).map((range, index) => ({ range, name: `segment-${index}.mp4` }));

/** Slower presets need fewer bytes for the same quality. On the bundled ffmpeg, ultrafast is slower than superfast. */
const encodings: Readonly<Record<Quality, Omit<Encoding, "threads">>> = {
  draft: { preset: "superfast", crf: 26 },
  standard: { preset: "veryfast", crf: 23 },
  high: { preset: "slower", crf: 19 },
};

/** Several segments run in parallel with one encoder thread each; a single segment uses all cores. */
export const encodingFor = (quality: Quality, segmentCount: number): Encoding => ({
  ...encodings[quality],
  threads: segmentCount > 1 ? 1 : availableParallelism(),
});

/** One task per segment. Each provides the segment's file for every video of the job. */
export function segmentTasks(job: RenderJob, segments: readonly SegmentFile[]): readonly Task<void>[] {
  const encoding = encodingFor(job.quality, segments.length);
  const report = sumProgress(segments.length, job.onProgress);
  return segments.map((segment, index) => async (signal) => {
    const onProgress = (progress: ExportProgress) => report(index, progress);
    await renderSegment(job, { ...segment, encoding }, { signal, onProgress });
  });
}

type EncodedSegment = SegmentFile & { readonly encoding: Encoding };

type SegmentOptions = {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: ExportProgress) => void;
};

async function renderSegment(job: RenderJob, segment: EncodedSegment, { signal, onProgress }: SegmentOptions) {
  const { cache, scope } = job;
  const { range, name, encoding } = segment;
  const outputs = job.videos.map((video): SegmentOutput => {
    const key = segmentKey({ timeline: video.timeline, range, encoding }, scope);
    return { video, key, path: `${video.folder}/${name}` };
  });
  const frames = framesIn(range);
  let missingCount = 0;
  const onFrame = (encodedFrames: number) => {
    const framesRendered = encodedFrames * missingCount;
    onProgress({ framesDone: (outputs.length - missingCount) * frames + framesRendered, framesRendered });
  };
  await job.singleFlight(outputs, {
    signal,
    take: ({ key, path }) => cache.linkTo(key, path),
    make: async (missing) => {
      missingCount = missing.length;
      await encodeSegment(job, segment, missing, { signal, onFrame });
    },
  });
  for (const { overlays } of job.videos) await overlays.release(range);
  onFrame(frames);
}

type SegmentOutput = { readonly video: Video; readonly key: string; readonly path: string };

type EncodeOptions = { readonly signal: AbortSignal; readonly onFrame: (frames: number) => void };

/** Encodes one segment of several videos in a single process, so that common sources are decoded once. */
async function encodeSegment(
  { run, folder, cache }: RenderJob,
  { range, encoding }: EncodedSegment,
  outputs: readonly SegmentOutput[],
  options: EncodeOptions,
): Promise<void> {
  const segments = outputs.map(async ({ video: { timeline, files, overlays }, path }) => ({
    segment: { timeline, files, overlays: await overlays.draw(range, options.signal), range, encoding },
    output: path,
  }));
  const command = compileSegments(await Promise.all(segments));
  requireFrames(await run(command, { folder, ...options }), framesIn(range));
  for (const { key, path } of outputs) await cache.put(key, path);
}

/** Adds up the progress of several segments. */
function sumProgress(segmentCount: number, report: (sum: ExportProgress) => void = () => {}) {
  const latest = new Array<ExportProgress>(segmentCount).fill({ framesDone: 0, framesRendered: 0 });
  const sum = (field: keyof ExportProgress) => latest.reduce((total, progress) => total + progress[field], 0);
  return (index: number, progress: ExportProgress) => {
    latest[index] = progress;
    report({ framesDone: sum("framesDone"), framesRendered: sum("framesRendered") });
  };
}
