import { analysisFrameBytes, readAnalysisFrame } from "../../../compiler/decode/analysis.ts";
import type { Size } from "../../../compiler/filters/geometry.ts";
import { type CollectedMetrics, MetricsCollector } from "./metrics-collector.ts";

/** Measures the frames of a byte stream, which may end anywhere: an incomplete last frame is dropped. */
async function measureStream(chunks: AsyncIterable<Uint8Array>, size: Size): Promise<CollectedMetrics> {
  const collector = new MetricsCollector(size);
  const split = splitFrames(analysisFrameBytes(size), (bytes) => {
    const { pixels, atSeconds } = readAnalysisFrame(bytes, size);
    collector.push(pixels, atSeconds);
  });
  for await (const chunk of chunks) split(chunk);
  return collector.finish();
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

// a program of its own, because measuring keeps a core busy for as long as ffmpeg decodes
const [width, height] = process.argv.slice(2).map(Number);
const metrics = await measureStream(Bun.stdin.stream(), { width: width!, height: height! });
await Bun.write(Bun.stdout, JSON.stringify(metrics));
