import { analysisFrameBytes, readAnalysisFrame } from "../../../compiler/decode/analysis.ts";
import type { Size } from "../../../compiler/filters/geometry.ts";

/** Calls `onFrame` with each frame of a byte stream, which may end anywhere: an incomplete last frame is dropped. */
export async function readFrames(
  chunks: AsyncIterable<Uint8Array>,
  size: Size,
  onFrame: (pixels: Uint8Array, atSeconds: number) => void,
): Promise<void> {
  const split = splitFrames(analysisFrameBytes(size), (bytes) => {
    const { pixels, atSeconds } = readAnalysisFrame(bytes, size);
    onFrame(pixels, atSeconds);
  });
  for await (const chunk of chunks) split(chunk);
}

/** Splits a byte stream into frames of one size. The buffer is reused. */
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
