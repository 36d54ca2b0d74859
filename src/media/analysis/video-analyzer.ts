import { rm } from "node:fs/promises";
import type { VideoAnalyzer, VideoMetrics } from "../../domain/ai/video-metrics.ts";
import type { FileStore } from "../../domain/files/file-store.ts";
import { concurrencyLimit } from "../../platform/concurrency-limit.ts";
import { mapDiskFull } from "../../platform/disk-full.ts";
import type { MediaFacts } from "../../timeline/source.ts";
import { type CanvasProcesses, sharedCanvasProcesses } from "../canvas/processes.ts";
import type { Ffmpeg } from "../ffmpeg/ffmpeg.ts";
import { FfmpegError } from "../ffmpeg/run.ts";
import { analysisSize, decodeFrames } from "./decode-frames.ts";
import { extractFrames } from "./extract-frames.ts";
import { imageForModel } from "./image-for-model.ts";
import { toVideoMetrics } from "./metrics.ts";
import { MetricsCollector } from "./metrics-collector.ts";

type VideoAnalyzerOptions = {
  readonly ffmpeg: Ffmpeg;
  readonly files: Pick<FileStore, "jobFolder">;
  /** The decoding time of one video. */
  readonly budgetMilliseconds?: number;
  readonly canvas?: CanvasProcesses;
};

/** More for one user would slow down each other and the exports. */
const slots = { concurrency: 4, perOwner: 2, maxQueuedPerOwner: 100, retryAfterSeconds: 10 };

export function ffmpegVideoAnalyzer({
  ffmpeg,
  files,
  budgetMilliseconds = 60_000,
  canvas = sharedCanvasProcesses(),
}: VideoAnalyzerOptions): VideoAnalyzer {
  const limit = concurrencyLimit(slots);
  const inJobFolder = async <T>(task: (folder: string) => Promise<T>): Promise<T> => {
    const folder = await files.jobFolder();
    try {
      return await mapDiskFull(task(folder));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
  return {
    measure: (path, facts, { owner, signal }) => {
      const options = { signal, budgetMilliseconds };
      return limit(() => inJobFolder((folder) => measure(ffmpeg, path, facts, { ...options, folder })), {
        owner,
        signal,
      });
    },
    frames: (path, facts, options) =>
      limit(
        () => inJobFolder((folder) => extractFrames({ ffmpeg, canvas }, { path, facts, folder, ...options })),
        options,
      ),
    convertImage: (path, facts, mimeTypes, options) =>
      limit(
        () => inJobFolder((folder) => imageForModel(canvas, { path, facts, mimeTypes, folder, ...options })),
        options,
      ),
  };
}

type MeasureOptions = { readonly folder: string; readonly signal: AbortSignal; readonly budgetMilliseconds: number };

/** If the budget runs out or the file is damaged, the metrics are those of the frames decoded until then. */
async function measure(
  ffmpeg: Ffmpeg,
  path: string,
  facts: MediaFacts,
  { folder, signal, budgetMilliseconds }: MeasureOptions,
): Promise<VideoMetrics> {
  const collector = new MetricsCollector(analysisSize(facts));
  const budget = AbortSignal.timeout(budgetMilliseconds);
  const onFrame = (pixels: Uint8Array, atSeconds: number) => collector.push(pixels, atSeconds);
  const options = { folder, signal: AbortSignal.any([signal, budget]), onFrame };
  await decodeFrames(ffmpeg, path, facts, options).catch((error) => {
    signal.throwIfAborted();
    if (!budget.aborted && !(error instanceof FfmpegError)) throw error;
  });
  return toVideoMetrics(collector.finish(), facts);
}
