import { resolve } from "node:path";
import { runAll } from "../../platform/async.ts";
import { withJobFolder } from "../../platform/files.ts";
import type { TaskOptions } from "../../platform/limits/concurrency-limit.ts";
import { type CpuBudget, cpuBudget } from "../../platform/limits/cpu-budget.ts";
import { compileStillFrame, stillFrameSize } from "../compiler/decode/still-frame.ts";
import type { Ffmpeg } from "../ffmpeg/ffmpeg.ts";
import { requireWorking } from "../ffmpeg/health.ts";
import { FfmpegError } from "../ffmpeg/run.ts";
import type { FileStore, VideoAnalyzer, VideoFrame, VideoMetrics } from "../ports.ts";
import { mapTaskFailure, unreadableImage } from "../sandbox/failures.ts";
import { readOutput } from "../sandbox/task-files.ts";
import { sharedTaskPool, type TaskPool } from "../sandbox/task-pool.ts";
import type { MediaFacts } from "../timeline/source.ts";
import { measureMetrics } from "./measure/sandboxed.ts";
import { measureFrames } from "./measure-frames.ts";
import { toVideoMetrics } from "./metrics.ts";

type VideoAnalyzerOptions = {
  readonly ffmpeg: Ffmpeg;
  readonly files: Pick<FileStore, "jobFolder">;
  /** The decoding time limit of one video. */
  readonly budgetMilliseconds?: number;
  readonly canvas?: TaskPool;
  /** Default: a budget of this analyzer's own. */
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

/** If the budget runs out or the file is damaged, the metrics cover the frames decoded so far. */
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

type ExtractTools = { readonly ffmpeg: Ffmpeg; readonly canvas: TaskPool };

type ExtractOptions = {
  readonly path: string;
  readonly facts: MediaFacts;
  readonly folder: string;
  readonly atSeconds: readonly number[];
  readonly maxSide: number;
  readonly owner: string;
  readonly signal: AbortSignal;
};

const concurrency = 2;
const limits = { cpuSeconds: 60, fileBytes: 2 ** 28 };

/** Extracts JPEG frames. Each runs its own ffmpeg, which seeks to shortly before the time. */
async function extractFrames(tools: ExtractTools, options: ExtractOptions): Promise<readonly VideoFrame[]> {
  const tasks = options.atSeconds.map((atSeconds, index) => async (signal: AbortSignal) => {
    const bytes = await extractFrame(tools, { ...options, signal }, atSeconds, `frame-${index}`);
    return bytes && { atSeconds, bytes, mimeType: "image/jpeg" };
  });
  const frames = await runAll(tasks, { concurrency, signal: options.signal });
  return frames.filter((frame) => frame !== undefined);
}

/** Undefined if the file is damaged at this time: the other frames remain usable. */
async function extractFrame(
  { ffmpeg, canvas }: ExtractTools,
  { path, facts, folder, maxSide, owner, signal }: ExtractOptions,
  atSeconds: number,
  fileName: string,
): Promise<Uint8Array | undefined> {
  const size = stillFrameSize(facts, maxSide);
  const pixels = `${folder}/${fileName}.rgb`;
  const output = `${folder}/${fileName}.jpg`;
  try {
    const { frames } = await ffmpeg.run(compileStillFrame(path, { facts, atSeconds, size }, pixels), {
      folder,
      signal,
      limits,
    });
    if (frames === 0) return undefined;
    await canvas.run("encodeJpeg", { path: pixels, size, output }, { owner, signal });
    return await readOutput(output);
  } catch (error) {
    if (!(error instanceof FfmpegError)) throw error;
    await requireWorking(ffmpeg, error);
    return undefined;
  }
}
