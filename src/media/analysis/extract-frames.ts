import { compileStillFrame, stillFrameSize } from "../../compiler/decode/still-frame.ts";
import type { VideoFrame } from "../../domain/ai/video-metrics.ts";
import type { MediaFacts } from "../../timeline/source.ts";
import type { Ffmpeg } from "../ffmpeg/ffmpeg.ts";
import { FfmpegError } from "../ffmpeg/run.ts";
import { toJpeg } from "../images/image.ts";
import { encodePng } from "../images/png.ts";
import { runAll } from "../render/run-all.ts";

type ExtractOptions = {
  readonly path: string;
  readonly facts: MediaFacts;
  readonly folder: string;
  readonly atSeconds: readonly number[];
  readonly maxSide: number;
  readonly signal: AbortSignal;
};

const concurrency = 2;
const limits = { cpuSeconds: 60, fileBytes: 2 ** 28, memoryBytes: 4 * 2 ** 30 };

/**
 * Extracts the frames shown at these times as JPEG. Each runs its own ffmpeg, which seeks to shortly before the time.
 */
export async function extractFrames(ffmpeg: Ffmpeg, options: ExtractOptions): Promise<readonly VideoFrame[]> {
  const tasks = options.atSeconds.map((atSeconds, index) => async (signal: AbortSignal) => {
    const bytes = await extractFrame(ffmpeg, { ...options, signal }, atSeconds, `frame-${index}.rgb`);
    return bytes && { atSeconds, bytes, mimeType: "image/jpeg" };
  });
  const frames = await runAll(tasks, { concurrency, signal: options.signal });
  return frames.filter((frame) => frame !== undefined);
}

/** Undefined if the file is damaged at this time: the other frames remain usable. */
async function extractFrame(
  ffmpeg: Ffmpeg,
  { path, facts, folder, maxSide, signal }: ExtractOptions,
  atSeconds: number,
  fileName: string,
): Promise<Uint8Array | undefined> {
  const size = stillFrameSize(facts, maxSide);
  const output = `${folder}/${fileName}`;
  try {
    const { frames } = await ffmpeg.run(compileStillFrame(path, { facts, atSeconds, size }, output), {
      folder,
      signal,
      limits,
    });
    return frames > 0 ? await toJpeg(await encodePng(await Bun.file(output).bytes(), size)) : undefined;
  } catch (error) {
    if (error instanceof FfmpegError) return undefined;
    throw error;
  }
}
