import { dirname } from "node:path";
import { readFrames } from "../../../src/engine/analysis/measure/frames/frame-stream.ts";
import { measureFrames } from "../../../src/engine/analysis/measure-frames.ts";
import type { Size } from "../../../src/engine/compiler/filters/geometry.ts";
import type { MediaFacts } from "../../../src/engine/timeline/source.ts";
import { directFfmpeg } from "../../support/media/ffmpeg.ts";

type Collector<Result> = { push(pixels: Uint8Array, atSeconds: number): void; finish(): Result };

/** Measures a video in this process; one of its own, as the service has, takes longer to start. */
export const measuredHere = async <Result>(
  path: string,
  facts: MediaFacts,
  collectorFor: (size: Size) => Collector<Result>,
): Promise<Result> =>
  measureFrames(
    await directFfmpeg(),
    { path, facts },
    async (frames, { size }) => {
      const collector = collectorFor(size);
      await readFrames(frames, size, (pixels, atSeconds) => collector.push(pixels, atSeconds));
      return collector.finish();
    },
    { folder: dirname(path), signal: new AbortController().signal, budgetMilliseconds: 600_000, takesPart: false },
  );
