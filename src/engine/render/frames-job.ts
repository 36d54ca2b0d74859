import type { ConcurrencyLimit } from "../../platform/limits/concurrency-limit.ts";
import type { Command } from "../compiler/command.ts";
import type { Ffmpeg } from "../ffmpeg/ffmpeg.ts";
import { requireFrames } from "../ffmpeg/run.ts";
import type { FileStore, Quality, RenderCache } from "../ports.ts";
import type { Proxies } from "../proxies/build.ts";
import type { TaskPool } from "../sandbox/task-pool.ts";
import type { Canvas, Timeline } from "../timeline/timeline.ts";
import type { CacheScope } from "./cache-keys.ts";

export type FramesJob = {
  readonly timeline: Timeline;
  /** The frames in ascending order. */
  readonly frames: readonly number[];
  readonly size: Canvas;
  readonly quality: Quality;
  /** True for frames over no ground, with alpha. */
  readonly isTransparent?: boolean | undefined;
  /** True for frames that are the same whatever is cached. */
  readonly isFromSources?: boolean | undefined;
  readonly folder: string;
  /** User id. */
  readonly owner: string;
  readonly signal: AbortSignal;
  readonly ffmpeg: Ffmpeg;
  readonly segmentDecoder: () => Promise<Ffmpeg>;
  readonly files: FileStore;
  readonly segmentCache: RenderCache;
  /** The cache of frames and prepared images. */
  readonly frameCache: RenderCache;
  readonly scope: CacheScope;
  /** The process slots that all frame requests share. */
  readonly limit: ConcurrencyLimit;
  readonly canvas: TaskPool;
  /** The proxies that drafts and small frames show instead of their sources. */
  readonly proxies: Proxies;
};

/** A user waits for frames on screen, so they have priority over exports (niceness 10). */
const limits = { niceness: 5 };

export async function runBatch(job: FramesJob, command: Command, ffmpeg = job.ffmpeg): Promise<void> {
  const { frames, folder, signal, limit, ...options } = job;
  requireFrames(
    await limit(() => ffmpeg.run(command, { folder, signal, limits }), { ...options, signal }),
    frames.length,
  );
}
