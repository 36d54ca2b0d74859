import { createHash } from "node:crypto";
import { runAll, type Task } from "../../platform/async.ts";
import type { HeldLease } from "../../platform/leases.ts";
import { type ConcurrencyLimit, inSlot } from "../../platform/limits/concurrency-limit.ts";
import { sum } from "../../platform/values.ts";
import type { SegmentEncoding } from "../compiler/compile.ts";
import { reversedBytesIn } from "../compiler/video/pace.ts";
import { piecesOf, rawBytesIn } from "../overlays/pieces.ts";
import type { ExportProgress, RenderTask, RenderTasks } from "../ports.ts";
import { usualFramesOf } from "../timeline/segments.ts";
import { type FrameRange, framesIn } from "../timeline/time.ts";
import type { Timeline } from "../timeline/timeline.ts";
import { segmentKey } from "./cache-keys.ts";
import { encodeSegments } from "./encode.ts";
import { hasSound } from "./encodings.ts";
import type { RenderJob, SegmentFile, SegmentOutput, Video } from "./job.ts";
import { sumProgress } from "./progress.ts";
import { provideSound, soundItem } from "./sound.ts";
import { planEncodeTasks } from "./tasks/encode-tasks.ts";
import { findSplits } from "./tasks/splits.ts";
import { openTaskQueue, type TaskQueue } from "./tasks/task-queue.ts";

/** A segment of every video of a job, until it is in the cache. */
export type MissingSegment = { readonly range: FrameRange; readonly outputs: readonly SegmentOutput[] };

/** Adjacent missing segments that one worker encodes, in one process or, after a failure, in several. */
type EncodeTask = readonly MissingSegment[];

/** Tasks that provide the sound and all missing segments together. Call `close` when they have settled. */
type PlannedTasks = { readonly tasks: readonly Task<void>[]; close(): Promise<void> };

/** Memory is scarcer than disk. */
const memoryWeight = 2;

const heldBytesIn = (timeline: Timeline, range: FrameRange): number =>
  rawBytesIn(piecesOf(timeline), range) + memoryWeight * reversedBytesIn(timeline, range);

/**
 * Takes the cached segments. Returns tasks that provide the sound and the others for every video of the job, and hold
 * one of the slots as long as they need a processor.
 */
export async function planTasks(
  job: RenderJob,
  segments: readonly SegmentFile[],
  slots: ConcurrencyLimit,
): Promise<PlannedTasks> {
  const { encoding } = job;
  const { missing, cachedFrames } = await takeCached(job, missingSegmentsOf(job, segments, encoding));
  // only this process knows the palette of a GIF
  const isShared = encoding.codec !== "gif" && isWorthSharing(job, missing);
  const shared = isShared ? job.sharedTasks : undefined;
  const splits = await findSplits(job.canvas, job.videos[0].picture, encoding.separateGops ? missing : [], job);
  const encodeTasks = planEncodeTasks(missing, {
    workers: shared ? job.concurrency * plannedProcesses : job.concurrency,
    canShareEncoder: encoding.separateGops !== undefined,
    usualFrames: usualFramesOf(job.videos[0].timeline.rate),
    rawBytesIn: (range) => sum(job.videos.map(({ timeline }) => heldBytesIn(timeline, range))),
    ...splits,
  });
  // a sound alone has frames, too, none of which is to be drawn
  const otherFrames = segments.length > 0 ? cachedFrames : job.videos[0].timeline.track.frames;
  const { report, reportSound } = sumProgress(
    { tasks: encodeTasks.length, frames: framesOf(outputsOf(missing)) + otherFrames, cachedFrames: otherFrames },
    job.onProgress,
  );
  const reportRendered = (index: number) => {
    const frames = framesOf(outputsOf(encodeTasks[index]!)); // safe because the pool has these tasks
    report(index, { framesDone: frames, framesRendered: frames });
  };
  const soundItems = hasSound(job.output.format) ? [soundItem(job)] : [];
  // participating processes lease what they render
  const reserved = shared ? undefined : await job.singleFlight.reserve([...soundItems, ...outputsOf(missing)]);
  const pool = (shared && (await poolOf(shared, encodeTasks, reportRendered))) ?? localPool();
  const provideNext: Task<void> = (signal) =>
    inSlot(slots, { signal }, async (release) => {
      const index = await pool.next(signal);
      const onProgress = (progress: ExportProgress) => report(index, progress);
      // safe for the same reason
      await provideEncodeTask(job, encodeTasks[index]!, { signal, encoding, onProgress, onEncoded: release, reserved });
      await pool.finish(index);
    });
  const sound: Task<void> = (signal) =>
    slots(() => provideSound(job, { signal, reserved, onShare: reportSound }), { signal });
  const close = async () => {
    await pool.close();
    await reserved?.release();
  };
  if (soundItems.length === 0) reportSound(1);
  return { tasks: [...soundItems.map(() => sound), ...encodeTasks.map(() => provideNext)], close };
}

const outputsOf = (segments: EncodeTask) => segments.flatMap(({ outputs }) => outputs);

export const missingSegmentsOf = (
  job: RenderJob,
  segments: readonly SegmentFile[],
  encoding: SegmentEncoding,
): readonly MissingSegment[] =>
  segments.map((segment) => ({
    range: segment.range,
    outputs: job.videos.map((video) => outputOf(job, video, segment, encoding)),
  }));

function outputOf({ scope }: RenderJob, video: Video, segment: SegmentFile, encoding: SegmentEncoding): SegmentOutput {
  const key = segmentKey({ timeline: video.timeline, range: segment.range, encoding }, scope);
  return { segment, video, key, path: `${video.folder}/${segment.name}` };
}

/** The number of simultaneous lookups: a cache may be far away. */
const lookupsAtOnce = 8;

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

async function takeCached(job: RenderJob, segments: readonly MissingSegment[]) {
  const outputs = outputsOf(segments);
  const notCached = new Set(await takeOutputs(job, outputs, job.signal));
  const isMissing = (segment: MissingSegment) => segment.outputs.some((output) => notCached.has(output));
  const cached = segments.filter((segment) => !isMissing(segment));
  for (const { range } of cached) await releaseOverlays(job, range);
  return { missing: segments.filter(isMissing), cachedFrames: framesOf(outputsOf(cached)) };
}

/** Shared tasks are planned for this many processes like this one. More can take part, but end less evenly. */
const plannedProcesses = 2;

function isWorthSharing({ concurrency, sharedFromPixels }: RenderJob, missing: readonly MissingSegment[]): boolean {
  const pixels = missing
    .flatMap(({ outputs }) => outputs)
    .reduce((sum, { segment, video: { timeline } }) => {
      const { width, height } = timeline.canvas;
      return sum + framesIn(segment.range) * width * height;
    }, 0);
  return pixels >= sharedFromPixels * concurrency;
}

/** Undefined if the tasks cannot be shared now. */
async function poolOf(
  shared: RenderTasks,
  encodeTasks: readonly EncodeTask[],
  onFinished: (index: number) => void,
): Promise<TaskQueue | undefined> {
  const isPublished = await shared.publish(encodeTasks.map(toRenderTask)).catch(() => false);
  return isPublished ? openTaskQueue(shared, encodeTasks.length, onFinished) : undefined;
}

export function toRenderTask(task: EncodeTask): RenderTask {
  const numbers = task.flatMap(({ outputs }) => outputs.map(({ segment }) => segment.number));
  const content = createHash("sha256");
  for (const { key } of outputsOf(task)) content.update(`${key}\n`);
  return { first: Math.min(...numbers), last: Math.max(...numbers), content: content.digest("hex") };
}

/** All encode tasks of a job in their order. */
function localPool(): TaskQueue {
  let next = 0;
  return { next: async () => next++, finish: async () => {}, close: async () => {} };
}

export type EncodeTaskOptions = {
  readonly signal: AbortSignal;
  readonly encoding: SegmentEncoding;
  readonly onProgress: (progress: ExportProgress) => void;
  /** Called when the task no longer needs a processor. */
  readonly onEncoded: () => void;
  /** Holds the leases of all outputs of the job. */
  readonly reserved?: HeldLease | undefined;
};

export async function provideEncodeTask(
  job: RenderJob,
  task: EncodeTask,
  { onProgress, ...options }: EncodeTaskOptions,
) {
  const { reserved } = options;
  const outputs = outputsOf(task);
  const frames = framesOf(outputs);
  let framesRendered = 0;
  await job.singleFlight.provide(outputs, {
    reserved,
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
  for (const { range } of task) await releaseOverlays(job, range);
  onProgress({ framesDone: frames, framesRendered });
}

const framesOf = (outputs: readonly SegmentOutput[]): number =>
  outputs.reduce((sum, { segment }) => sum + framesIn(segment.range), 0);

async function releaseOverlays({ videos }: RenderJob, range: FrameRange): Promise<void> {
  for (const { overlays } of videos) await overlays.release(range);
}
