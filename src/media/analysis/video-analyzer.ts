import { resolve } from "node:path";
import type { VideoAnalyzer, VideoFrame, VideoMetrics } from "../../domain/ai/video-metrics.ts";
import type { FileStore } from "../../domain/files/file-store.ts";
import { type CpuBudget, cpuBudget } from "../../platform/cpu-budget.ts";
import { withJobFolder } from "../../platform/job-folder.ts";
import type { TaskOptions } from "../../platform/task-options.ts";
import type { MediaFacts } from "../../timeline/source.ts";
import type { Ffmpeg } from "../ffmpeg/ffmpeg.ts";
import { mapTaskFailure, unreadableImage } from "../sandbox/failures.ts";
import { readOutput } from "../sandbox/outputs.ts";
import { sharedTaskPool, type TaskPool } from "../sandbox/task-pool.ts";
import { extractFrames } from "./extract-frames.ts";
import { measureMetrics } from "./measure/sandboxed.ts";
import { measureFrames } from "./measure-frames.ts";
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

/** If the budget runs out or the file is damaged, the metrics are those of the frames decoded until then. */
async function measure(
  ffmpeg: Ffmpeg,
  path: string,
  facts: MediaFacts,
  { folder, signal, budgetMilliseconds }: MeasureOptions,
): Promise<VideoMetrics> {
  const options = { folder, signal, budgetMilliseconds, takesPart: true };
  return toVideoMetrics(await measureFrames(ffmpeg, { path, facts }, measureMetrics, options), facts);
}

type ImageOptions = TaskOptions & {
  readonly path: string;
  readonly facts: MediaFacts;
  readonly mimeTypes: readonly string[];
  readonly maxBytes?: number;
  readonly folder: string;
};

/** The stored image if it is an upright still of an accepted type; else a JPEG, or a PNG if it has transparency. */
async function imageForModel(
  canvas: TaskPool,
  { path, facts, mimeTypes, maxBytes, folder, ...options }: ImageOptions,
): Promise<Omit<VideoFrame, "atSeconds">> {
  const conversion = { path: resolve(path), facts, mimeTypes, maxBytes, output: `${folder}/image` };
  const { mimeType } = await canvas.run("convertForModel", conversion, options).catch(mapTaskFailure(unreadableImage));
  if (mimeType) return { bytes: await readOutput(conversion.output), mimeType };
  return { bytes: await Bun.file(path).bytes(), mimeType: facts.mimeType };
}
