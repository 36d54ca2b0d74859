import { mkdir } from "node:fs/promises";
import { availableParallelism } from "node:os";
import type { Command } from "../../compiler/command.ts";
import { compileFrames, compileStreamFrames, type TimelineFrames } from "../../compiler/frames.ts";
import type { RenderCache } from "../../domain/exports/renderer.ts";
import type { Quality } from "../../domain/exports/schema.ts";
import type { FileStore } from "../../domain/files/file-store.ts";
import type { ConcurrencyLimit } from "../../platform/concurrency-limit.ts";
import { cutSegments } from "../../timeline/segments.ts";
import type { Source } from "../../timeline/source.ts";
import { type FrameRange, intersection, isInside } from "../../timeline/time.ts";
import type { Canvas, Timeline } from "../../timeline/timeline.ts";
import type { CanvasProcesses } from "../canvas/processes.ts";
import type { Ffmpeg } from "../ffmpeg/ffmpeg.ts";
import { requireFrames } from "../ffmpeg/run.ts";
import { type ByteBudget, byteBudget } from "../overlays/files.ts";
import { drawOverlays } from "../overlays/overlays.ts";
import { type CacheScope, preparedImageKey, segmentKey } from "../render/cache-keys.ts";
import { overlayDrawer } from "../render/overlay-drawer.ts";
import { runAll } from "../render/run-all.ts";
import { encodingFor } from "../render/segments.ts";
import { diagnoseFailure, linkSources, type PlaceImage, placePreparedImage } from "../render/sources.ts";
import { placeExcerpts } from "./excerpts.ts";
import { extractFrames } from "./h264-extract.ts";

export type FramesJob = {
  readonly timeline: Timeline;
  /** In ascending order. */
  readonly frames: readonly number[];
  readonly size: Canvas;
  readonly quality: Quality;
  readonly folder: string;
  /** User id. */
  readonly owner: string;
  readonly signal: AbortSignal;
  readonly ffmpeg: Ffmpeg;
  readonly files: FileStore;
  /** The segments of exports. */
  readonly segmentCache: RenderCache;
  /** Frames and prepared images. */
  readonly frameCache: RenderCache;
  readonly scope: CacheScope;
  /** The process slots that all frame requests share. */
  readonly limit: ConcurrencyLimit;
  readonly canvas: CanvasProcesses;
};

/** A job whose batches share a budget for bitmaps. */
type BudgetedJob = FramesJob & { readonly budget: ByteBudget };

/** A user waits for frames on screen, so they have priority over exports (niceness 10). */
const limits = { niceness: 5 };

/** Some frames of one segment, rendered in one process. */
type Batch = { readonly range: FrameRange; readonly frames: readonly number[] };

export type DrawnFrame = {
  /** A PNG file in the job's folder. */
  readonly path: string;
  /** The key of the segment that it was decoded from; undefined if it was drawn from the sources. */
  readonly segment: string | undefined;
};

/** Renders frames: decodes them from the cached segment of an export if there is one, else from the sources. */
export async function drawFrames(job: FramesJob): Promise<readonly DrawnFrame[]> {
  const ranges = cutSegments(job.timeline.track, job.timeline.rate);
  const batches = ranges.flatMap((range) => batchesIn(job, range));
  const budget = byteBudget();
  const tasks = batches.map((batch, index) => async (signal: AbortSignal) => {
    const folder = `${job.folder}/${index}`;
    await mkdir(folder);
    return await drawBatch({ ...job, folder, signal, budget }, batch);
  });
  return (await runAll(tasks, { concurrency: availableParallelism(), signal: job.signal })).flat();
}

const maxBatchFrames = 16;
/** Limits open files: every frame of a process opens its overlays again. */
const maxBatchOverlays = 100;

function batchesIn({ timeline, frames }: FramesJob, range: FrameRange): readonly Batch[] {
  const framesInRange = frames.filter((frame) => isInside(frame, range));
  const overlayCount = timeline.overlays.filter((overlay) => intersection(overlay.range, range)).length;
  const framesPerOverlays = Math.floor(maxBatchOverlays / Math.max(1, overlayCount));
  const size = Math.max(1, Math.min(maxBatchFrames, framesPerOverlays));
  return Array.from({ length: Math.ceil(framesInRange.length / size) }, (_, index) => ({
    range,
    frames: framesInRange.slice(index * size, (index + 1) * size),
  }));
}

async function drawBatch(job: BudgetedJob, batch: Batch): Promise<readonly DrawnFrame[]> {
  const output = `${job.folder}/pixels.raw`;
  const key = segmentKeyOf(job, batch.range);
  const decode = await segmentDecode(job, batch, key, output);
  if (decode) await run(job, decode, batch.frames.length);
  else await renderFromSources(job, batch.frames, output);

  const { size, owner, signal, canvas } = job;
  const outputs = batch.frames.map((frame) => `${job.folder}/frame-${frame}.png`);
  const options = { owner, signal, bitmaps: outputs.length };
  await canvas.run("encodeFrames", { path: output, size, outputs }, options);
  return outputs.map((path) => ({ path, segment: decode && key }));
}

const segmentKeyOf = ({ timeline, quality, scope }: FramesJob, range: FrameRange) =>
  segmentKey({ timeline, range, encoding: encodingFor(quality) }, scope);

/** The keys of the cached segments that frames lie in, by frame. */
export async function findCachedSegments(job: FramesJob): Promise<ReadonlyMap<number, string>> {
  const ranges = cutSegments(job.timeline.track, job.timeline.rate);
  const found = ranges.map(async (range) => {
    const frames = job.frames.filter((frame) => isInside(frame, range));
    if (frames.length === 0) return [];
    const key = segmentKeyOf(job, range);
    const isCached = (await job.segmentCache.sizeOf(key)) !== undefined;
    return isCached ? frames.map((frame) => [frame, key] as const) : [];
  });
  return new Map((await Promise.all(found)).flat());
}

async function run(job: FramesJob, command: Command, frameCount: number): Promise<void> {
  const { ffmpeg, folder, signal, limit } = job;
  requireFrames(await limit(() => ffmpeg.run(command, { folder, signal, limits }), job), frameCount);
}

/** The command that decodes a batch from its cached segment; undefined if the segment is not cached. */
async function segmentDecode(job: FramesJob, { range, frames }: Batch, key: string, output: string) {
  const { timeline, size, folder } = job;
  const segment = `${folder}/segment.mp4`;
  if (!(await job.segmentCache.linkTo(key, segment))) return undefined;
  const stream = `${folder}/segment.h264`;
  const segmentFrames = frames.map((frame) => frame - range.start);
  const streamFrames = await extractFrames(segment, segmentFrames, stream);
  return compileStreamFrames(
    { path: stream, frames: streamFrames, rate: timeline.rate, size, threads: availableParallelism() },
    output,
  );
}

/** Renders from excerpts of the sources, or from whole sources if damaged ones have no frame to show in an excerpt. */
async function renderFromSources(job: BudgetedJob, frames: readonly number[], output: string): Promise<void> {
  const { signal, ffmpeg, size, canvas, folder } = job;
  const request = { ...(await prepareFrames(job, frames)), size, threads: availableParallelism() };
  const render = (from: TimelineFrames) => run(job, compileFrames(from, output), frames.length);
  const excerpts = await placeExcerpts(canvas, { ...request, folder }, job);
  try {
    await render({ ...request, ...excerpts });
  } catch {
    signal.throwIfAborted();
    await render(request).catch(async (error) => {
      signal.throwIfAborted();
      throw await diagnoseFailure(error, ffmpeg, { ...request, folder });
    });
  }
}

async function prepareFrames(
  job: BudgetedJob,
  frames: readonly number[],
): Promise<Omit<TimelineFrames, "size" | "threads">> {
  const { files: store, folder, signal, budget } = job;
  const { owner } = job;
  const { textEngine } = job.scope;
  const timeline = visibleOn(job.timeline, frames);
  const { canvas, rate } = timeline;
  const [files] = await linkSources([timeline], store, folder, placeCachedImage(job));
  const localPathOf = (source: Source) => store.localPath(source.file);
  const draw = overlayDrawer({ canvas: job.canvas, owner, localPathOf });
  const drawing = { canvas, rate, textEngine, folder, budget, draw, frames, signal };
  const overlays = await drawOverlays(timeline.overlays, drawing);
  return { timeline, frames, overlays, files: files! }; // safe because linkSources returns one per timeline
}

/** The part of a timeline that is visible on some frames, without sound. */
function visibleOn(timeline: Timeline, frames: readonly number[]): Timeline {
  const isVisible = ({ range }: { readonly range: FrameRange }) => frames.some((frame) => isInside(frame, range));
  const track = { ...timeline.track, spans: timeline.track.spans.filter(isVisible) };
  return { ...timeline, track, overlays: timeline.overlays.filter(isVisible), sound: { pieces: [] } };
}

/** Caches prepared images, because preparing a large photo takes longer than everything else. */
const placeCachedImage =
  ({ frameCache, scope, canvas, owner, signal }: FramesJob): PlaceImage =>
  async (source, from, image) => {
    const key = preparedImageKey(source.hash, image.maxSide, scope);
    if (await frameCache.linkTo(key, image.path)) return;
    await placePreparedImage(canvas, { owner, signal })(source, from, image);
    await frameCache.put(key, image.path);
  };
