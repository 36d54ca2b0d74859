import { createHash } from "node:crypto";
import type { Encoding } from "../../compiler/encoding.ts";
import type { ExportProgress } from "../../domain/exports/jobs.ts";
import type { SegmentRun, SharedRuns } from "../../domain/exports/shared-runs.ts";
import { type ConcurrencyLimit, inSlot } from "../../platform/concurrency-limit.ts";
import { runAll, type Task } from "../../platform/run-all.ts";
import { usualFramesOf } from "../../timeline/segments.ts";
import { type FrameRange, framesIn } from "../../timeline/time.ts";
import { segmentKey } from "./cache-keys.ts";
import { encodeSegments } from "./encode.ts";
import { encodingFor } from "./encodings.ts";
import type { RenderJob, Video } from "./job.ts";
import { sumProgress } from "./runs/progress.ts";
import { openRunPool, type RunPool } from "./runs/run-pool.ts";
import { planRuns } from "./runs/runs.ts";
import { findSplits } from "./runs/splits.ts";
import type { SegmentFile, SegmentOutput } from "./segment-files.ts";

/** A segment for every video of a job. */
export type Part = { readonly range: FrameRange; readonly outputs: readonly SegmentOutput[] };

/** Tasks that provide all missing segments together. Call `close` when they have settled. */
export type SegmentTasks = { readonly tasks: readonly Task<void>[]; close(): Promise<void> };

/**
 * Takes the segments that are cached. Returns tasks that provide the others for every video of the job, and hold one of the
 * slots until they need no processor any more.
 */
export async function segmentTasks(
  job: RenderJob,
  segments: readonly SegmentFile[],
  slots: ConcurrencyLimit,
): Promise<SegmentTasks> {
  const encoding = encodingFor(job.quality);
  const { missing, cachedFrames } = await takeCached(job, partsOf(job, segments, encoding));
  const shared = isWorthSharing(job, missing) ? job.sharedRuns : undefined;
  const splits = await findSplits(job.canvas, job.videos[0].picture, encoding.separateGops ? missing : [], job);
  const runs = planRuns(missing, {
    workers: shared ? job.concurrency * plannedProcesses : job.concurrency,
    canShareEncoder: encoding.separateGops !== undefined,
    usualFrames: usualFramesOf(job.videos[0].timeline.rate),
    ...splits,
  });
  const report = sumProgress(runs.length, cachedFrames, job.onProgress);
  const reportRendered = (index: number) => {
    const frames = framesOf(runs[index]!.flatMap(({ outputs }) => outputs)); // safe because the pool has these runs
    report(index, { framesDone: frames, framesRendered: frames });
  };
  const pool = (shared && (await poolOf(shared, runs, reportRendered))) ?? localPool();
  const provideNext: Task<void> = (signal) =>
    inSlot(slots, signal, async (release) => {
      const index = await pool.next(signal);
      const onProgress = (progress: ExportProgress) => report(index, progress);
      // safe for the same reason
      await provideRun(job, runs[index]!, { signal, encoding, onProgress, onEncoded: release });
      await pool.finish(index);
    });
  return { tasks: runs.map(() => provideNext), close: pool.close };
}

export const partsOf = (job: RenderJob, segments: readonly SegmentFile[], encoding: Encoding): readonly Part[] =>
  segments.map((segment) => ({
    range: segment.range,
    outputs: job.videos.map((video) => outputOf(job, video, segment, encoding)),
  }));

function outputOf({ scope }: RenderJob, video: Video, segment: SegmentFile, encoding: Encoding): SegmentOutput {
  const key = segmentKey({ timeline: video.timeline, range: segment.range, encoding }, scope);
  return { segment, video, key, path: `${video.folder}/${segment.name}` };
}

/** Entries that are looked for at once: a cache may be far away. */
const lookupsAtOnce = 8;

/** Takes outputs from the cache; returns those that are not there. */
async function takeOutputs({ cache }: RenderJob, outputs: readonly SegmentOutput[], signal: AbortSignal) {
  const found = await cache.find(outputs.map(({ key }) => key));
  const lookups = outputs.map(
    ({ key, path }) =>
      async () =>
        found.has(key) && (await cache.linkTo(key, path)),
  );
  const isTaken = await runAll(lookups, { concurrency: lookupsAtOnce, signal });
  return outputs.filter((_, index) => !isTaken[index]);
}

async function takeCached(job: RenderJob, parts: readonly Part[]) {
  const outputs = parts.flatMap((part) => part.outputs);
  const notCached = new Set(await takeOutputs(job, outputs, job.signal));
  const isMissing = (part: Part) => part.outputs.some((output) => notCached.has(output));
  const cached = parts.filter((part) => !isMissing(part));
  for (const { range } of cached) await releaseOverlays(job, range);
  return {
    missing: parts.filter(isMissing),
    cachedFrames: framesOf(cached.flatMap(({ outputs }) => outputs)),
  };
}

/** Shared runs are planned for so many processes like this one. More take their share, too, but end less together. */
const plannedProcesses = 2;

function isWorthSharing({ concurrency, sharedFromPixels }: RenderJob, missing: readonly Part[]): boolean {
  const pixels = missing
    .flatMap(({ outputs }) => outputs)
    .reduce((sum, { segment, video: { timeline } }) => {
      const { width, height } = timeline.canvas;
      return sum + framesIn(segment.range) * width * height;
    }, 0);
  return pixels >= sharedFromPixels * concurrency;
}

/** Undefined if the runs cannot be shared now. */
async function poolOf(
  shared: SharedRuns,
  runs: readonly (readonly Part[])[],
  onFinished: (index: number) => void,
): Promise<RunPool | undefined> {
  const isPublished = await shared.publish(runs.map(toSegmentRun)).catch(() => false);
  return isPublished ? openRunPool(shared, runs.length, onFinished) : undefined;
}

export function toSegmentRun(run: readonly Part[]): SegmentRun {
  const numbers = run.flatMap(({ outputs }) => outputs.map(({ segment }) => segment.number));
  const content = createHash("sha256");
  for (const { key } of run.flatMap(({ outputs }) => outputs)) content.update(`${key}\n`);
  return { first: Math.min(...numbers), last: Math.max(...numbers), content: content.digest("hex") };
}

/** All runs of a job in their order, each for one of as many tasks. */
function localPool(): RunPool {
  let next = 0;
  return { next: async () => next++, finish: async () => {}, close: async () => {} };
}

export type RunOptions = {
  readonly signal: AbortSignal;
  readonly encoding: Encoding;
  readonly onProgress: (progress: ExportProgress) => void;
  /** Called when the run needs no processor any more. */
  readonly onEncoded: () => void;
};

export async function provideRun(job: RenderJob, run: readonly Part[], { onProgress, ...options }: RunOptions) {
  const outputs = run.flatMap((part) => part.outputs);
  const frames = framesOf(outputs);
  let framesRendered = 0;
  await job.singleFlight(outputs, {
    signal: options.signal,
    take: (missing) => takeOutputs(job, missing, options.signal),
    make: async (missing) => {
      const cachedFrames = frames - framesOf(missing);
      const onFrames = (rendered: number) => {
        framesRendered = rendered;
        onProgress({ framesDone: cachedFrames + rendered, framesRendered });
      };
      await encodeSegments(job, missing, { ...options, onFrames });
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
