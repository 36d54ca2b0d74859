import { rename } from "node:fs/promises";
import { yieldIfBusy } from "../../platform/cpu.ts";
import { withJobFolder } from "../../platform/files.ts";
import { type ConcurrencyLimit, concurrencyLimit } from "../../platform/limits/concurrency-limit.ts";
import { type CpuBudget, cpuBudget } from "../../platform/limits/cpu-budget.ts";
import type { Ffmpeg } from "../ffmpeg/ffmpeg.ts";
import type { FileStore, FrameRenderer, RenderCache } from "../ports.ts";
import { noProxies, type Proxies } from "../proxies/build.ts";
import { frameKey } from "../render/cache-keys.ts";
import { findCachedSegments } from "../render/cached-segments.ts";
import { drawFrames } from "../render/draw-frames.ts";
import type { FramesJob } from "../render/frames-job.ts";
import { readOutput } from "../sandbox/task-files.ts";
import { sharedTaskPool, type TaskPool } from "../sandbox/task-pool.ts";
import { toSeconds } from "../timeline/time.ts";
import type { Canvas, Timeline } from "../timeline/timeline.ts";

type FrameRendererDeps = {
  readonly ffmpeg: Ffmpeg;
  /** Default: the same as `ffmpeg`. */
  readonly segmentDecoder?: () => Promise<Ffmpeg>;
  readonly files: FileStore;
  readonly segmentCache: RenderCache;
  readonly frameCache: RenderCache;
  /** The maximum number of requests of one user at a time; one more runs for other users. */
  readonly concurrency: number;
  readonly canvas?: TaskPool;
  /** Default: no proxies. */
  readonly proxies?: Proxies;
  /** Default: a budget of this renderer's own. */
  readonly cpu?: Pick<CpuBudget, "frames">;
};

type FramesRequest = Pick<FramesJob, "timeline" | "frames" | "size" | "quality" | "owner" | "signal"> & {
  readonly projectId: string;
};

/** Frames have slots that exports cannot use, so that they do not wait for exports. */
export function ffmpegFrameRenderer(deps: FrameRendererDeps): FrameRenderer {
  const { ffmpeg, files, concurrency, canvas = sharedTaskPool() } = deps;
  const { segmentDecoder = async () => ffmpeg, proxies = noProxies } = deps;
  const slots = { concurrency: concurrency + 1, perOwner: concurrency };
  const requestLimit = concurrencyLimit({ ...slots, maxQueuedPerOwner: 32, maxQueued: 1000, retryAfterSeconds: 2 });
  const { cpu = cpuBudget(concurrency) } = deps;
  const keysLimit = concurrencyLimit({ concurrency: 1 });

  /** Renders frames as PNG files in a temporary folder and returns the file that `choose` makes from them. */
  const renderFrames = ({ projectId, ...request }: FramesRequest, choose: ChooseImage): Promise<Uint8Array> =>
    withJobFolder(files.jobFolder, async (folder) => {
      const scope = { projectId, ffmpegVersion: ffmpeg.version, textEngine: await canvas.textEngine() };
      const job = { ...deps, ...request, scope, folder, limit: cpu.frames, canvas, segmentDecoder, proxies };
      return await readOutput(await choose(await cachedFrames(job, { requestLimit, keysLimit }), folder));
    });

  return {
    frame: (timeline, { frame, ...options }) => {
      const onlyFrame: ChooseImage = async ([path]) => path!; // safe because each frame gives one image
      return renderFrames({ timeline, ...options, frames: [frame] }, onlyFrame);
    },

    contactSheet: (timeline, { columns, ...options }) => {
      const size = tileSize(timeline.canvas);
      const labels = timeLabels(timeline, options.frames);
      const drawSheet: ChooseImage = async (tiles, folder) => {
        const output = `${folder}/contact-sheet.png`;
        await canvas.run("drawContactSheet", { tiles, columns, size, labels, output }, options);
        return output;
      };
      return renderFrames({ timeline, ...options, size }, drawSheet);
    },
  };
}

/** Takes and returns paths. */
type ChooseImage = (frames: readonly string[], folder: string) => Promise<string>;

type FrameLimits = { readonly requestLimit: ConcurrencyLimit; readonly keysLimit: ConcurrencyLimit };

/**
 * Takes frames from the cache and renders the missing ones. Returns their paths. A frame that was drawn before its
 * segment existed is drawn again, because the export shows the segment.
 */
async function cachedFrames(job: FramesJob, { requestLimit, keysLimit }: FrameLimits): Promise<readonly string[]> {
  const { frameCache } = job;
  const entries = await keysLimit(() => frameEntries(job), job);
  const missing: typeof entries = [];
  for (const entry of entries) {
    if (!(await frameCache.linkTo(entry.key, entry.path))) missing.push(entry);
  }
  if (missing.length > 0) {
    const frames = missing.map(({ frame }) => frame);
    const drawn = await job.proxies.during(() => requestLimit(() => drawFrames({ ...job, frames }), job));
    for (const [index, { frame, path }] of missing.entries()) {
      const { path: drawnPath, segment } = drawn[index]!; // safe because each frame gives one image
      await rename(drawnPath, path);
      await frameCache.put([{ key: keyOf(job, frame, segment), path }]);
    }
  }
  return entries.map(({ path }) => path);
}

/** The key and the path of each frame. Compiling takes milliseconds, so it yields to a busy event loop. */
async function frameEntries(job: FramesJob) {
  await yieldIfBusy();
  const segments = await findCachedSegments(job);
  return job.frames.map((frame) => ({
    frame,
    key: keyOf(job, frame, segments.get(frame)),
    path: `${job.folder}/frame-${frame}.png`,
  }));
}

const keyOf = ({ timeline, size, scope }: FramesJob, frame: number, segment: string | undefined): string =>
  frameKey({ timeline, frame, size, segment }, scope);

const timeLabels = ({ rate }: Timeline, frames: readonly number[]): readonly string[] =>
  frames.map((frame) => clockTime(toSeconds(frame, rate)));

/** Formats as `1:02.500`, rounded up, so that the frame is visible at the printed time. */
function clockTime(seconds: number): string {
  const milliseconds = Math.ceil(seconds * 1000 - 1e-3);
  const minutes = Math.floor(milliseconds / 60_000);
  return `${minutes}:${((milliseconds % 60_000) / 1000).toFixed(3).padStart(6, "0")}`;
}

const maxTileSide = 320;

/** The size of a frame on a contact sheet. */
function tileSize({ width, height }: Canvas): Canvas {
  const scale = Math.min(1, maxTileSide / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}
