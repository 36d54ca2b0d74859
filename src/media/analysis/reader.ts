import { rm } from "node:fs/promises";
import type { VideoAnalyzer, VideoMetrics } from "../../domain/ai/video-metrics.ts";
import type { FileStore } from "../../domain/files/file-store.ts";
import { patientGate } from "../../platform/concurrency-limit.ts";
import { mapDiskFull } from "../../platform/disk-full.ts";
import type { MediaFacts } from "../../timeline/source.ts";
import { type Ffmpeg, FfmpegError } from "../ffmpeg/ffmpeg.ts";
import { pictureFor } from "../images/simple-still.ts";
import { decodeSmall, smallSize } from "./decode.ts";
import { framesAt } from "./frames.ts";
import { measuresOf } from "./measures.ts";
import { FilmMeter } from "./meter.ts";

type ReaderPorts = {
  readonly ffmpeg: Ffmpeg;
  readonly files: Pick<FileStore, "jobFolder">;
  /** How long one film is looked at. */
  readonly budgetMilliseconds?: number;
};

/** More at a time would only slow each other and the exports. */
const maxAtOnce = 2;

export function ffmpegFilmReader({ ffmpeg, files, budgetMilliseconds = 60_000 }: ReaderPorts): VideoAnalyzer {
  const oneOfFew = patientGate(maxAtOnce);
  const inFolder = async <T>(work: (folder: string) => Promise<T>): Promise<T> => {
    const folder = await files.jobFolder();
    try {
      return await mapDiskFull(work(folder));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
  return {
    measure: (path, facts, signal) =>
      oneOfFew(
        () => inFolder((folder) => measure(ffmpeg, path, facts, { folder, signal, budgetMilliseconds })),
        signal,
      ),
    frames: (path, facts, options) =>
      oneOfFew(() => inFolder((folder) => framesAt(ffmpeg, { path, facts, folder, ...options })), options.signal),
    image: (path, facts, mimeTypes) => oneOfFew(() => pictureFor(path, facts, mimeTypes)),
  };
}

type Measuring = { readonly folder: string; readonly signal: AbortSignal; readonly budgetMilliseconds: number };

/** A film that is too long for its time is measured as far as it was seen, and so is one that is damaged further on. */
async function measure(ffmpeg: Ffmpeg, path: string, facts: MediaFacts, measuring: Measuring): Promise<VideoMetrics> {
  const { folder, signal, budgetMilliseconds } = measuring;
  const meter = new FilmMeter(smallSize(facts));
  const budget = AbortSignal.timeout(budgetMilliseconds);
  const until = AbortSignal.any([signal, budget]);
  const onPicture = (bytes: Uint8Array, atSeconds: number) => meter.push(bytes, atSeconds);
  await decodeSmall(ffmpeg, path, facts, { folder, signal: until, onPicture }).catch((error) => {
    signal.throwIfAborted();
    if (!budget.aborted && !(error instanceof FfmpegError)) throw error;
  });
  return measuresOf(meter.read(), facts);
}
