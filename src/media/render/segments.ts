import type { Encoding } from "../../compiler/encoding.ts";
import type { ExportProgress } from "../../domain/exports/jobs.ts";
import type { Task } from "../../platform/run-all.ts";
import { usualFramesOf } from "../../timeline/segments.ts";
import { type FrameRange, framesIn } from "../../timeline/time.ts";
import { segmentKey } from "./cache-keys.ts";
import { encodeSegments } from "./encode.ts";
import { encodingFor } from "./encodings.ts";
import type { RenderJob, Video } from "./job.ts";
import { planRuns } from "./runs/runs.ts";
import { findSplits } from "./runs/splits.ts";
import type { SegmentFile, SegmentOutput } from "./segment-files.ts";

/** A segment that is not cached for every video. */
type Part = { readonly range: FrameRange; readonly outputs: readonly SegmentOutput[] };

/** Takes the segments that are cached. Returns tasks that provide the others for every video of the job. */
export async function segmentTasks(job: RenderJob, segments: readonly SegmentFile[]): Promise<readonly Task<void>[]> {
  const encoding = encodingFor(job.quality);
  const parts: Part[] = [];
  let cachedFrames = 0;
  for (const segment of segments) {
    const outputs = job.videos.map((video) => outputOf(job, video, segment, encoding));
    const isCached = await Promise.all(outputs.map(({ key, path }) => job.cache.linkTo(key, path)));
    if (isCached.includes(false)) {
      parts.push({ range: segment.range, outputs });
      continue;
    }
    cachedFrames += framesOf(outputs);
    await releaseOverlays(job, segment.range);
  }
  const splits = await findSplits(job.canvas, job.videos[0], encoding.separateGops ? parts : [], job);
  const runs = planRuns(parts, {
    workers: job.concurrency,
    canShareEncoder: encoding.separateGops !== undefined,
    usualFrames: usualFramesOf(job.videos[0].timeline.rate),
    ...splits,
  });
  const report = sumProgress(runs.length, cachedFrames, job.onProgress);
  return runs.map((run, index) => async (signal) => {
    const onProgress = (progress: ExportProgress) => report(index, progress);
    await provideRun(job, run, { signal, encoding, onProgress });
  });
}

function outputOf({ scope }: RenderJob, video: Video, segment: SegmentFile, encoding: Encoding): SegmentOutput {
  const key = segmentKey({ timeline: video.timeline, range: segment.range, encoding }, scope);
  return { segment, video, key, path: `${video.folder}/${segment.name}` };
}

type RunOptions = {
  readonly signal: AbortSignal;
  readonly encoding: Encoding;
  readonly onProgress: (progress: ExportProgress) => void;
};

async function provideRun(job: RenderJob, run: readonly Part[], { signal, encoding, onProgress }: RunOptions) {
  const outputs = run.flatMap((part) => part.outputs);
  const frames = framesOf(outputs);
  let framesRendered = 0;
  await job.singleFlight(outputs, {
    signal,
    take: ({ key, path }) => job.cache.linkTo(key, path),
    make: async (missing) => {
      const cachedFrames = frames - framesOf(missing);
      const onFrames = (rendered: number) => {
        framesRendered = rendered;
        onProgress({ framesDone: cachedFrames + rendered, framesRendered });
      };
      await encodeSegments(job, missing, { signal, encoding, onFrames });
    },
  });
  for (const { range } of run) await releaseOverlays(job, range);
  onProgress({ framesDone: frames, framesRendered });
}

const framesOf = (outputs: readonly SegmentOutput[]): number =>
  outputs.reduce((sum, { segment }) => sum + framesIn(segment.range), 0);

async function releaseOverlays({ videos }: RenderJob, range: FrameRange): Promise<void> {
  for (const { overlays } of videos) await overlays.release(range);
}

/** Adds up the progress of several runs. */
function sumProgress(runCount: number, cachedFrames: number, report: (sum: ExportProgress) => void = () => {}) {
  const latest = new Array<ExportProgress>(runCount).fill({ framesDone: 0, framesRendered: 0 });
  const sum = (field: keyof ExportProgress) => latest.reduce((total, progress) => total + progress[field], 0);
  const reportAll = () =>
    report({ framesDone: cachedFrames + sum("framesDone"), framesRendered: sum("framesRendered") });
  if (cachedFrames > 0) reportAll();
  return (index: number, progress: ExportProgress) => {
    latest[index] = progress;
    reportAll();
  };
}
