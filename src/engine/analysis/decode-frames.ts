import { resolve } from "node:path";
import { compileAnalysis } from "../compiler/decode/analysis.ts";
import type { Size } from "../compiler/filters/geometry.ts";
import type { Ffmpeg } from "../ffmpeg/ffmpeg.ts";
import type { MediaFacts } from "../timeline/source.ts";

const limits = { cpuSeconds: 600, fileBytes: 2 ** 28 };

const framePixels = 128 * 72;

/** The frame size for analysis: about the same number of pixels for any aspect ratio, in blocks of eight. */
export function analysisSize({ width = 16, height = 9 }: MediaFacts): Size {
  const scale = Math.sqrt(framePixels / (width * height));
  const side = (length: number) => Math.min(512, Math.max(32, 8 * Math.round((length * scale) / 8)));
  return { width: side(width), height: side(height) };
}

type DecodeOptions = {
  readonly size: Size;
  readonly folder: string;
  readonly signal: AbortSignal;
  /** Receives the stream that `readFrames` reads. */
  readonly onOutput: (bytes: Uint8Array) => void | Promise<void>;
};

/** Decodes every frame at its analysis size, upright, as yuv420p in BT.709. Times start with the video. */
export async function decodeFrames(
  ffmpeg: Ffmpeg,
  path: string,
  facts: MediaFacts,
  { size, ...options }: DecodeOptions,
): Promise<void> {
  await ffmpeg.run(compileAnalysis(resolve(path), facts, size), { ...options, limits });
}
