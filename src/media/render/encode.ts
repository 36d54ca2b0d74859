import { mkdir, rm } from "node:fs/promises";
import { compileRuns, fitsInRun, rangeOf } from "../../compiler/compile.ts";
import type { Encoding } from "../../compiler/encoding.ts";
import type { SourcePaths } from "../../compiler/sources.ts";
import { usualFramesOf } from "../../timeline/segments.ts";
import type { Source } from "../../timeline/source.ts";
import { framesIn } from "../../timeline/time.ts";
import { placeExcerpts } from "../excerpt/place.ts";
import { encoderFeatures } from "../ffmpeg/encoder-features.ts";
import { FfmpegError, requireFrames } from "../ffmpeg/run.ts";
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
  const usualFrames = usualFramesOf(job.videos[0].timeline.rate);
  for (const batch of batchesOf(outputs, options.encoding, usualFrames)) {
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

function batchesOf(
  outputs: readonly SegmentOutput[],
  { separateGops }: Encoding,
  usualFrames: number,
): readonly Batch[] {
  const batches: Batch[] = [];
  for (const segment of new Set(outputs.map((output) => output.segment))) {
    const videos = outputs.filter((output) => output.segment === segment).map(({ video }) => video);
    const last = batches.at(-1);
    const goesOn =
      separateGops && last && isEqual(last.videos, videos) && fitsInRun(rangesOf(last), segment.range, usualFrames);
    if (goesOn) last.segments.push(segment);
    else batches.push({ segments: [segment], videos });
  }
  return batches;
}

const isEqual = (some: readonly Video[], others: readonly Video[]): boolean =>
  some.length === others.length && some.every((video, index) => video === others[index]);

type BatchOptions = Omit<EncodeOptions, "onFrames"> & { readonly onFrame: (frames: number) => void };

type RunOptions = BatchOptions & { readonly pathOf?: (source: Source, files: SourcePaths) => string };

/** Encodes a batch in a single process, so that common sources are decoded once. */
async function encodeBatch(job: RenderJob, batch: Batch, options: BatchOptions): Promise<void> {
  const folder = `${job.folder}/run-${batch.segments[0]!.number}`;
  await mkdir(folder, { recursive: true });
  const excerpts = await excerptsFor(job, batch, { folder, signal: options.signal });
  try {
    await runBatch(job, batch, { ...options, ...excerpts });
  } catch (error) {
    options.signal.throwIfAborted();
    // a damaged source may have nothing to show in an excerpt
    if (!(error instanceof FfmpegError)) throw error;
    await runBatch(job, batch, options);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A run that begins later in a video would decode all frames from the last keyframe on, which may be far back. */
const excerptsFromSeconds = 1;

async function excerptsFor(
  { canvas, owner, videos }: RenderJob,
  batch: Batch,
  { folder, signal }: { readonly folder: string; readonly signal: AbortSignal },
) {
  const [{ timeline, files }] = videos;
  const { start, end } = rangeOf(rangesOf(batch));
  const frames = Array.from({ length: end - start }, (_, index) => start + index);
  const wanted = { timeline, frames, files, folder, fromSeconds: excerptsFromSeconds };
  const { pathOf } = (await placeExcerpts(canvas, wanted, { owner, signal })).files;
  // images have another path for each video
  return { pathOf: (source: Source, files: SourcePaths) => (isVideo(source) ? pathOf(source) : files.pathOf(source)) };
}

const isVideo = ({ facts }: Source): boolean => facts.kind === "video";

async function runBatch({ run, folder }: RenderJob, batch: Batch, { encoding, pathOf, ...options }: RunOptions) {
  const segments = rangesOf(batch);
  const range = rangeOf(segments);
  const runs = batch.videos.map(async ({ timeline, files, overlays, folder: videoFolder }) => ({
    run: {
      timeline,
      segments,
      files: pathOf ? { pathOf: (source: Source) => pathOf(source, files) } : files,
      overlays: await overlays.draw(range, options.signal),
      encoding: { ...encoding, cpuFeatures: encoderFeatures() },
    },
    output: { pattern: `${videoFolder.replaceAll("%", "%%")}/segment-%d.mp4`, first: batch.segments[0]!.number },
  }));
  const command = compileRuns(await Promise.all(runs));
  requireFrames(await run(command, { folder, ...options }), framesIn(range));
}
