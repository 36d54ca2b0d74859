import { compileRuns, fitsInRun, rangeOf } from "../../compiler/compile.ts";
import type { Encoding } from "../../compiler/encoding.ts";
import { framesIn } from "../../timeline/time.ts";
import { encoderFeatures } from "../ffmpeg/encoder-features.ts";
import { requireFrames } from "../ffmpeg/run.ts";
import type { RenderJob, Video } from "./job.ts";
import type { SegmentFile, SegmentOutput } from "./segment-files.ts";

type EncodeOptions = {
  readonly signal: AbortSignal;
  readonly encoding: Encoding;
  /** Receives the number of frames encoded so far, over all outputs. */
  readonly onFrames: (frames: number) => void;
};

/** Encodes outputs of adjacent or equal segments and adds them to the cache, with as few processes as possible. */
export async function encodeSegments(
  job: RenderJob,
  outputs: readonly SegmentOutput[],
  { onFrames, ...options }: EncodeOptions,
): Promise<void> {
  let encodedFrames = 0;
  for (const batch of batchesOf(outputs, options.encoding)) {
    const onFrame = (frames: number) => onFrames(encodedFrames + frames * batch.videos.length);
    await encodeBatch(job, batch, { ...options, onFrame });
    encodedFrames += framesIn(rangeOf(rangesOf(batch))) * batch.videos.length;
    onFrames(encodedFrames);
  }
  for (const { key, path } of outputs) await job.cache.put(key, path);
}

/** Adjacent segments, and the videos that all of them are encoded for. */
type Batch = { readonly segments: SegmentFile[]; readonly videos: readonly Video[] };

const rangesOf = ({ segments }: Batch) => segments.map(({ range }) => range);

function batchesOf(outputs: readonly SegmentOutput[], { separateGops }: Encoding): readonly Batch[] {
  const batches: Batch[] = [];
  for (const segment of new Set(outputs.map((output) => output.segment))) {
    const videos = outputs.filter((output) => output.segment === segment).map(({ video }) => video);
    const last = batches.at(-1);
    const isSame = last && separateGops && isEqual(last.videos, videos) && fitsInRun(rangesOf(last), segment.range);
    if (isSame) last.segments.push(segment);
    else batches.push({ segments: [segment], videos });
  }
  return batches;
}

const isEqual = (some: readonly Video[], others: readonly Video[]): boolean =>
  some.length === others.length && some.every((video, index) => video === others[index]);

type BatchOptions = Omit<EncodeOptions, "onFrames"> & { readonly onFrame: (frames: number) => void };

/** Encodes a batch in a single process, so that common sources are decoded once. */
async function encodeBatch({ run, folder }: RenderJob, batch: Batch, { encoding, ...options }: BatchOptions) {
  const segments = rangesOf(batch);
  const range = rangeOf(segments);
  const runs = batch.videos.map(async ({ timeline, files, overlays, folder: videoFolder }) => ({
    run: {
      timeline,
      segments,
      files,
      overlays: await overlays.draw(range, options.signal),
      encoding: { ...encoding, cpuFeatures: encoderFeatures() },
    },
    output: { pattern: `${videoFolder.replaceAll("%", "%%")}/segment-%d.mp4`, first: batch.segments[0]!.number },
  }));
  const command = compileRuns(await Promise.all(runs));
  requireFrames(await run(command, { folder, ...options }), framesIn(range));
}
