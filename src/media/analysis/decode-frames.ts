import { resolve } from "node:path";
import { analysisFrameBytes, compileAnalysis, readAnalysisFrame } from "../../compiler/decode/analysis.ts";
import type { Size } from "../../compiler/filters/geometry.ts";
import type { MediaFacts } from "../../timeline/source.ts";
import type { Ffmpeg } from "../ffmpeg/ffmpeg.ts";

const limits = { cpuSeconds: 600, fileBytes: 2 ** 28, memoryBytes: 4 * 2 ** 30 };

const framePixels = 128 * 72;

/** The frame size for analysis: about the same number of pixels for any aspect ratio, in blocks of eight. */
export function analysisSize({ width = 16, height = 9 }: MediaFacts): Size {
  const scale = Math.sqrt(framePixels / (width * height));
  const side = (length: number) => Math.min(512, Math.max(32, 8 * Math.round((length * scale) / 8)));
  return { width: side(width), height: side(height) };
}

type DecodeOptions = {
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly onFrame: (pixels: Uint8Array, atSeconds: number) => void;
};

/** Decodes every frame at its analysis size, upright, as yuv420p in BT.709. Times start with the video. */
export async function decodeFrames(
  ffmpeg: Ffmpeg,
  path: string,
  facts: MediaFacts,
  { folder, signal, onFrame }: DecodeOptions,
): Promise<void> {
  const size = analysisSize(facts);
  const onOutput = splitFrames(analysisFrameBytes(size), (bytes) => {
    const { pixels, atSeconds } = readAnalysisFrame(bytes, size);
    onFrame(pixels, atSeconds);
  });
  await ffmpeg.run(compileAnalysis(resolve(path), facts, size), { folder, signal, limits, onOutput });
}

/** Splits a byte stream into frames of one size; an incomplete last frame is dropped. The buffer is reused. */
function splitFrames(frameBytes: number, onFrame: (frame: Uint8Array) => void): (bytes: Uint8Array) => void {
  const frame = new Uint8Array(frameBytes);
  let filled = 0;
  return (bytes) => {
    for (let at = 0; at < bytes.length; ) {
      const chunk = bytes.subarray(at, at + frameBytes - filled);
      frame.set(chunk, filled);
      at += chunk.length;
      filled += chunk.length;
      if (filled < frameBytes) continue;
      onFrame(frame);
      filled = 0;
    }
  };
}
