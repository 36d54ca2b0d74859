import { once } from "node:events";
import { PassThrough, type Readable } from "node:stream";
import type { Size } from "../compiler/filters/geometry.ts";
import type { Ffmpeg } from "../ffmpeg/ffmpeg.ts";
import { FfmpegError } from "../ffmpeg/run.ts";
import type { MediaFacts } from "../timeline/source.ts";
import { analysisSize, decodeFrames } from "./decode-frames.ts";

/** Reads a stream of small frames to its end. */
type Measure<Result> = (
  frames: Readable,
  options: { readonly size: Size; readonly signal: AbortSignal; readonly timeoutMilliseconds: number },
) => Promise<Result>;

type MeasureOptions = {
  readonly folder: string;
  readonly signal: AbortSignal;
  /** The time limit of decoding. */
  readonly budgetMilliseconds: number;
  /** If the budget runs out or the file is damaged, the frames decoded so far are measured. */
  readonly takesPart: boolean;
};

// the time left to measure decoded frames when the budget ends
const finishMilliseconds = 30_000;

/** Decodes a video at a small size into a process that measures it. */
export async function measureFrames<Result>(
  ffmpeg: Ffmpeg,
  { path, facts }: { readonly path: string; readonly facts: MediaFacts },
  measure: Measure<Result>,
  { folder, signal, budgetMilliseconds, takesPart }: MeasureOptions,
): Promise<Result> {
  const size = analysisSize(facts);
  const frames = new PassThrough();
  const ended = new AbortController();
  const budget = AbortSignal.timeout(budgetMilliseconds);
  const timeoutMilliseconds = budgetMilliseconds + finishMilliseconds;
  const measuring = measure(frames, { size, signal, timeoutMilliseconds }).finally(() => ended.abort());
  // awaited below; nothing reads the frames decoded after a failure
  measuring.catch(() => {});
  const decoding = AbortSignal.any([signal, budget, ended.signal]);
  const onOutput = (bytes: Uint8Array) => write(frames, bytes, decoding);
  await decodeFrames(ffmpeg, path, facts, { size, folder, signal: decoding, onOutput })
    .catch((error) => {
      const isPart = decoding.aborted || error instanceof FfmpegError;
      if (!isPart || (!takesPart && !ended.signal.aborted)) throw error;
    })
    .finally(() => frames.end());
  return await measuring;
}

/** Resolves once the stream accepts more bytes. Rejects when the signal aborts. */
async function write(stream: PassThrough, bytes: Uint8Array, signal: AbortSignal): Promise<void> {
  if (!stream.write(bytes)) await once(stream, "drain", { signal });
}
