import { rm } from "node:fs/promises";
import { runAll, type Task } from "../../platform/async.ts";
import { concurrencyLimit, inSlot } from "../../platform/limits/concurrency-limit.ts";
import type { NumberedTask, RenderTasks } from "../ports.ts";
import { type RenderJob, type SegmentFile, segmentFilesOf } from "./job.ts";
import {
  type EncodeTaskOptions,
  type MissingSegment,
  missingSegmentsOf,
  provideEncodeTask,
  toRenderTask,
} from "./segments.ts";
import { visibleSourcesIn } from "./sources.ts";

/**
 * Renders tasks of another worker's export into the cache until all are claimed. Links only the sources that
 * these tasks show. Throws if this process would render other bytes.
 */
export async function renderSharedTasks(
  job: RenderJob,
  sharedTasks: Pick<RenderTasks, "claim" | "finish">,
): Promise<void> {
  const segments = segmentFilesOf(job.videos[0].timeline, job.output.format);
  const slots = concurrencyLimit(job);
  let isAnyLeft = true;
  const renderNext = (signal: AbortSignal) =>
    inSlot(slots, { signal }, async (release) => {
      const shared = isAnyLeft ? await sharedTasks.claim() : undefined;
      isAnyLeft = shared !== undefined;
      if (!shared) return;
      await renderTask(job, requireSameTask(job, segments, shared), { signal, onEncoded: release });
      await sharedTasks.finish(shared.number);
    });
  const renderUntilNoneIsLeft: Task<void> = async (signal) => {
    while (isAnyLeft) {
      signal.throwIfAborted();
      await renderNext(signal);
    }
  };
  // equally many may wait until their segments are stored
  const concurrency = 2 * job.concurrency;
  const tasks = Array.from({ length: concurrency }, () => renderUntilNoneIsLeft);
  await runAll(tasks, { concurrency, signal: job.signal });
}

/** Another build of ffmpeg, or a source that was replaced meanwhile, gives other bytes. */
function requireSameTask(
  job: RenderJob,
  segments: readonly SegmentFile[],
  shared: NumberedTask,
): readonly MissingSegment[] {
  const task = missingSegmentsOf(job, segments.slice(shared.first, shared.last + 1), job.encoding);
  if (toRenderTask(task).content === shared.content) return task;
  throw new Error("This process would render other bytes than the one that needs them.");
}

async function renderTask(
  job: RenderJob,
  task: readonly MissingSegment[],
  options: Pick<EncodeTaskOptions, "signal" | "onEncoded">,
): Promise<void> {
  for (const { range } of task) await job.linkSources(visibleSourcesIn(job.videos[0].timeline, range));
  await provideEncodeTask(job, task, { ...options, encoding: job.encoding, onProgress: () => {} });
  for (const { path } of task.flatMap(({ outputs }) => outputs)) await rm(path, { force: true });
}
