import { mkdir, rm } from "node:fs/promises";
import { compileTasks, fitsInTask, rangeOf, type SegmentEncoding } from "../compiler/compile.ts";
import { compileGround } from "../compiler/frames.ts";
import type { SourcePaths } from "../compiler/sources.ts";
import { encoderFeatures } from "../ffmpeg/encoder-features.ts";
import { requireFrames } from "../ffmpeg/run.ts";
import type { RenderGround } from "../overlays/files.ts";
import { usualFramesOf } from "../timeline/segments.ts";
import type { Source } from "../timeline/source.ts";
import { framesIn } from "../timeline/time.ts";
import { succeeds, writeExcerpts } from "./excerpts.ts";
import { footageRenderer } from "./footage.ts";
import { type RenderJob, type SegmentFile, type SegmentOutput, segmentName, type Video } from "./job.ts";

type EncodeOptions = {
  readonly signal: AbortSignal;
  readonly encoding: SegmentEncoding;
  /** Receives the number of frames encoded so far, over all outputs. */
  readonly onFrames: (frames: number) => void;
  /** Called when the outputs are encoded: adding them to the cache may take a while, but no processor. */
  readonly onEncoded: () => void;
};

/** Encodes outputs of adjacent or equal segments and adds them to the cache, in as few processes as possible. */
export async function encodeSegments(
  job: RenderJob,
  outputs: readonly SegmentOutput[],
  { onFrames, onEncoded, ...options }: EncodeOptions,
): Promise<void> {
  let encodedFrames = 0;
  const usualFrames = usualFramesOf(job.videos[0].timeline.rate);
  for (const batch of batchesOf(outputs, options.encoding, usualFrames)) {
    const onFrame = (frames: number) => onFrames(encodedFrames + frames * batch.videos.length);
    await encodeBatch(job, batch, { ...options, onFrame });
    encodedFrames += framesIn(rangeOf(rangesOf(batch))) * batch.videos.length;
    onFrames(encodedFrames);
  }
  onEncoded();
  await job.cache.put(outputs);
}

type ProcessBatch = { readonly segments: SegmentFile[]; readonly videos: readonly Video[] };

const rangesOf = ({ segments }: ProcessBatch) => segments.map(({ range }) => range);

function batchesOf(
  outputs: readonly SegmentOutput[],
  { separateGops }: SegmentEncoding,
  usualFrames: number,
): readonly ProcessBatch[] {
  const batches: ProcessBatch[] = [];
  for (const segment of new Set(outputs.map((output) => output.segment))) {
    const videos = outputs.filter((output) => output.segment === segment).map(({ video }) => video);
    const last = batches.at(-1);
    const goesOn =
      separateGops && last && isEqual(last.videos, videos) && fitsInTask(rangesOf(last), segment.range, usualFrames);
    if (goesOn) last.segments.push(segment);
    else batches.push({ segments: [segment], videos });
  }
  return batches;
}

const isEqual = (some: readonly Video[], others: readonly Video[]): boolean =>
  some.length === others.length && some.every((video, index) => video === others[index]);

type ProcessOptions = Omit<EncodeOptions, "onFrames" | "onEncoded"> & { readonly onFrame: (frames: number) => void };

type FilesOf = (video: Video) => SourcePaths;

/**
 * Encodes a batch in a single process, so that common sources are decoded once. After a failure, each segment is
 * encoded alone and from whole sources: only this gives the same result for a damaged source, whatever is cached. If
 * still no frame decodes, the source is decoded from its start, so that the last good frame is held.
 */
async function encodeBatch(job: RenderJob, batch: ProcessBatch, options: ProcessOptions): Promise<void> {
  const folder = `${job.folder}/task-${batch.segments[0]!.number}`;
  await mkdir(folder, { recursive: true });
  try {
    const excerpts = await writeBatchExcerpts(job, batch, { folder, signal: options.signal });
    const together = { ...options, filesOf: excerpts ?? wholeFiles, isStrict: true };
    if ((excerpts || batch.segments.length > 1) && (await succeeds(encodeOnce(job, batch, together)))) return;
    for (const segment of batch.segments) {
      const single = { ...batch, segments: [segment] };
      options.signal.throwIfAborted();
      if (await succeeds(encodeOnce(job, single, { ...options, filesOf: wholeFiles }))) continue;
      options.signal.throwIfAborted();
      await encodeOnce(job, single, { ...options, filesOf: wholeFiles, isUnseekable: true });
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const wholeFiles: FilesOf = ({ picture }) => picture.files;

/** A task that begins later in a video would decode all frames since the last keyframe, which may be far back. */
const excerptsFromSeconds = 1;

async function writeBatchExcerpts(
  { canvas, owner, videos }: RenderJob,
  batch: ProcessBatch,
  { folder, signal }: { readonly folder: string; readonly signal: AbortSignal },
): Promise<FilesOf | undefined> {
  const { timeline, files } = videos[0].picture;
  const { start, end } = rangeOf(rangesOf(batch));
  const frames = Array.from({ length: end - start }, (_, index) => start + index);
  const wanted = { timeline, frames, files, folder, fromSeconds: excerptsFromSeconds };
  const excerpts = await writeExcerpts(canvas, wanted, { owner, signal });
  // each video has a separate file for an image
  const pathFor = (video: Video, source: Source) =>
    (excerpts?.isExcerpt(source) ? excerpts : video.picture).files.pathOf(source);
  return excerpts && ((video) => ({ pathOf: (source) => pathFor(video, source) }));
}

/** Renders what lies below a blended layer, from the same files as the segment. */
const groundRenderer =
  (
    { run, folder, output: { isTransparent } }: Pick<RenderJob, "run" | "folder" | "output">,
    { picture, folder: videoFolder }: Video,
    files: SourcePaths,
    signal: AbortSignal,
  ): RenderGround =>
  async (frames, overlays) => {
    const output = `${videoFolder}/ground-${frames[0]}.rgba`;
    const request = { timeline: picture.timeline, frames, overlays, files, isTransparent, threads: 1 };
    requireFrames(await run(compileGround(request, output), { folder, signal }), frames.length);
    return output;
  };

type AttemptOptions = ProcessOptions & {
  readonly filesOf: FilesOf;
  readonly isStrict?: boolean;
  readonly isUnseekable?: boolean;
};

async function encodeOnce(
  { run, folder, output }: RenderJob,
  batch: ProcessBatch,
  { encoding, filesOf, isStrict, isUnseekable, ...options }: AttemptOptions,
) {
  const segments = rangesOf(batch);
  const range = rangeOf(segments);
  const tasks = batch.videos.map(async (video) => ({
    task: {
      timeline: video.picture.timeline,
      segments,
      files: filesOf(video),
      overlays: await video.overlays.draw(range, {
        signal: options.signal,
        renderGround: groundRenderer({ run, folder, output }, video, filesOf(video), options.signal),
        renderFootage: footageRenderer({
          folder: video.folder,
          rate: video.timeline.rate,
          pathOf: video.overlaySourcePath,
          run: async (command, frames) => requireFrames(await run(command, { folder, signal: options.signal }), frames),
        }),
      }),
      encoding: encodingIn(folder, encoding),
      isUnseekable,
    },
    output: {
      pattern: `${video.folder.replaceAll("%", "%%")}/${segmentName("%d", output.format)}`,
      first: batch.segments[0]!.number,
    },
  }));
  const command = compileTasks(await Promise.all(tasks), { isStrict: isStrict ?? false });
  requireFrames(await run(command, { folder, ...options }), framesIn(range));
}

/** A palette lies in the job's folder. */
function encodingIn(folder: string, encoding: SegmentEncoding): SegmentEncoding {
  if (!encoding.codec) return { ...encoding, cpuFeatures: encoderFeatures() };
  return encoding.codec === "gif" ? { ...encoding, palette: `${folder}/${encoding.palette}` } : encoding;
}
