import { once } from "node:events";
import { PassThrough } from "node:stream";
import type { VideoAnalyzer, VideoMetrics } from "../../domain/ai/video-metrics.ts";
import type { FileStore } from "../../domain/files/file-store.ts";
import { type CpuBudget, cpuBudget } from "../../platform/cpu-budget.ts";
import { withJobFolder } from "../../platform/job-folder.ts";
import type { MediaFacts } from "../../timeline/source.ts";
import type { Ffmpeg } from "../ffmpeg/ffmpeg.ts";
import { FfmpegError } from "../ffmpeg/run.ts";
import { sharedTaskPool, type TaskPool } from "../sandbox/task-pool.ts";
import { analysisSize, decodeFrames } from "./decode-frames.ts";
import { extractFrames } from "./extract-frames.ts";
import { imageForModel } from "./image-for-model.ts";
import { measureSandboxed } from "./measure/sandboxed-metrics.ts";
import { toVideoMetrics } from "./metrics.ts";

type VideoAnalyzerOptions = {
  readonly ffmpeg: Ffmpeg;
  readonly files: Pick<FileStore, "jobFolder">;
  /** The decoding time of one video. */
  readonly budgetMilliseconds?: number;
  readonly canvas?: TaskPool;
  /** Default: one of its own. */
  readonly cpu?: Pick<CpuBudget, "models">;
};

export function ffmpegVideoAnalyzer({
  ffmpeg,
  files,
  budgetMilliseconds = 60_000,
  canvas = sharedTaskPool(),
  cpu = cpuBudget(),
}: VideoAnalyzerOptions): VideoAnalyzer {
  const inJobFolder = <T>(task: (folder: string) => Promise<T>) => withJobFolder(files.jobFolder, task);
  return {
    measure: (path, facts, { owner, signal }) => {
      const options = { signal, budgetMilliseconds };
      return cpu.models(() => inJobFolder((folder) => measure(ffmpeg, path, facts, { ...options, folder })), {
        owner,
        signal,
      });
    },
    frames: (path, facts, options) =>
      cpu.models(
        () => inJobFolder((folder) => extractFrames({ ffmpeg, canvas }, { path, facts, folder, ...options })),
        options,
      ),
    convertImage: (path, facts, mimeTypes, options) =>
      cpu.models(
        () => inJobFolder((folder) => imageForModel(canvas, { path, facts, mimeTypes, folder, ...options })),
        options,
      ),
  };
}

type MeasureOptions = { readonly folder: string; readonly signal: AbortSignal; readonly budgetMilliseconds: number };

// to measure the frames that are decoded when the budget ends
const finishMilliseconds = 30_000;

/** If the budget runs out or the file is damaged, the metrics are those of the frames decoded until then. */
async function measure(
  ffmpeg: Ffmpeg,
  path: string,
  facts: MediaFacts,
  { folder, signal, budgetMilliseconds }: MeasureOptions,
): Promise<VideoMetrics> {
  const size = analysisSize(facts);
  const frames = new PassThrough();
  const ended = new AbortController();
  const budget = AbortSignal.timeout(budgetMilliseconds);
  const measuring = measureSandboxed(frames, {
    size,
    signal,
    timeoutMilliseconds: budgetMilliseconds + finishMilliseconds,
  }).finally(() => ended.abort());
  // awaited below; nobody reads the frames that are decoded after it failed
  measuring.catch(() => {});
  const decoding = AbortSignal.any([signal, budget, ended.signal]);
  const onOutput = (bytes: Uint8Array) => write(frames, bytes, decoding);
  await decodeFrames(ffmpeg, path, facts, { size, folder, signal: decoding, onOutput })
    .catch((error) => {
      if (!decoding.aborted && !(error instanceof FfmpegError)) throw error;
    })
    .finally(() => frames.end());
  return toVideoMetrics(await measuring, facts);
}

/** Resolves once the stream takes more. Rejects when the signal aborts. */
async function write(stream: PassThrough, bytes: Uint8Array, signal: AbortSignal): Promise<void> {
  if (!stream.write(bytes)) await once(stream, "drain", { signal });
}
