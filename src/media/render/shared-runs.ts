import { rm } from "node:fs/promises";
import type { NumberedRun, SharedRuns } from "../../domain/exports/shared-runs.ts";
import { concurrencyLimit, inSlot } from "../../platform/concurrency-limit.ts";
import { runAll, type Task } from "../../platform/run-all.ts";
import { encodingFor } from "./encodings.ts";
import type { RenderJob } from "./job.ts";
import { type SegmentFile, segmentFilesOf } from "./segment-files.ts";
import { type Part, partsOf, provideRun, type RunOptions, toSegmentRun } from "./segments.ts";
import { visibleSourcesIn } from "./sources.ts";

/**
 * Renders runs of another process's job into the cache, until there is none that nobody has. Links only the sources that
 * these runs show. Throws if this process would render other bytes.
 */
export async function renderSharedRuns(job: RenderJob, runs: Pick<SharedRuns, "claim" | "finish">): Promise<void> {
  const segments = segmentFilesOf(job.videos[0].timeline);
  const slots = concurrencyLimit(job);
  let isAnyLeft = true;
  const renderNext = (signal: AbortSignal) =>
    inSlot(slots, signal, async (release) => {
      const run = isAnyLeft ? await runs.claim() : undefined;
      isAnyLeft = run !== undefined;
      if (!run) return;
      await renderRun(job, requireSameRun(job, segments, run), { signal, onEncoded: release });
      await runs.finish(run.number);
    });
  const renderUntilNoneIsLeft: Task<void> = async (signal) => {
    while (isAnyLeft) {
      signal.throwIfAborted();
      await renderNext(signal);
    }
  };
  // as many again may wait until their segments are stored
  const concurrency = 2 * job.concurrency;
  const tasks = Array.from({ length: concurrency }, () => renderUntilNoneIsLeft);
  await runAll(tasks, { concurrency, signal: job.signal });
}

/** Another build of ffmpeg, or a source that was replaced meanwhile, gives other bytes. */
function requireSameRun(job: RenderJob, segments: readonly SegmentFile[], run: NumberedRun): readonly Part[] {
  const parts = partsOf(job, segments.slice(run.first, run.last + 1), encodingFor(job.quality));
  if (toSegmentRun(parts).content === run.content) return parts;
  throw new Error("This process would render other bytes than the one that needs them.");
}

async function renderRun(
  job: RenderJob,
  parts: readonly Part[],
  options: Pick<RunOptions, "signal" | "onEncoded">,
): Promise<void> {
  for (const { range } of parts) await job.linkSources(visibleSourcesIn(job.videos[0].timeline, range));
  await provideRun(job, parts, { ...options, encoding: encodingFor(job.quality), onProgress: () => {} });
  for (const { path } of parts.flatMap(({ outputs }) => outputs)) await rm(path, { force: true });
}
