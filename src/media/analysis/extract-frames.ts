import { compileStillFrame, stillFrameSize } from "../../compiler/decode/still-frame.ts";
import type { VideoFrame } from "../../domain/ai/video-metrics.ts";
import { runAll } from "../../platform/run-all.ts";
import type { MediaFacts } from "../../timeline/source.ts";
import type { Ffmpeg } from "../ffmpeg/ffmpeg.ts";
import { FfmpegError } from "../ffmpeg/run.ts";
import { readOutput } from "../sandbox/outputs.ts";
import type { TaskPool } from "../sandbox/task-pool.ts";

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

/**
 * Extracts the frames shown at these times as JPEG. Each runs its own ffmpeg, which seeks to shortly before the time.
 */
export async function extractFrames(tools: ExtractTools, options: ExtractOptions): Promise<readonly VideoFrame[]> {
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
    if (error instanceof FfmpegError) return undefined;
    throw error;
  }
}
