import { mkdir } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { runAll } from "../../platform/async.ts";
import { compileFrames, compileGround, type TimelineFrames } from "../compiler/frames.ts";
import { type ByteBudget, byteBudget, type RenderGround } from "../overlays/files.ts";
import { drawOverlays } from "../overlays/overlays.ts";
import { piecesOf } from "../overlays/pieces.ts";
import { isShownHalved, linkProxies } from "../proxies/link-proxies.ts";
import type { Source } from "../timeline/source.ts";
import { type FrameRange, isInside } from "../timeline/time.ts";
import type { Timeline } from "../timeline/timeline.ts";
import { decodeSegments, type LinkedSegment, linkCachedSegments } from "./cached-segments.ts";
import { succeeds, writeExcerpts } from "./excerpts.ts";
import { footageRenderer } from "./footage.ts";
import { type FramesJob, runBatch } from "./frames-job.ts";
import { overlayDrawer } from "./overlay-drawer.ts";
import { diagnoseFailure, linkOverlaySources, linkSources, materializeCached } from "./sources.ts";

type DrawnFrame = {
  readonly frame: number;
  /** A PNG file in the job's folder. */
  readonly path: string;
  /** The key of the segment that it was decoded from; undefined if it was drawn from the sources. */
  readonly segment: string | undefined;
};

/** Renders frames: decodes them from the cached segments of an export if there are any, else from the sources. */
export async function drawFrames(job: FramesJob): Promise<readonly DrawnFrame[]> {
  const segments = job.isTransparent || job.isFromSources ? [] : await linkCachedSegments(job);
  const segmentOf = (frame: number) => segments.find(({ range }) => isInside(frame, range));
  const cached = job.frames.filter(segmentOf);
  const missing = job.frames.filter((frame) => !segmentOf(frame));
  const budget = byteBudget();
  const batches = [
    ...splitFrames(cached, { maxFrames: maxBatchFrames, groupOf: (frame) => segmentOf(frame)?.key }),
    ...splitFrames(missing, { maxFrames: maxFramesFromSources(job), groupOf: (frame) => clipOn(job, frame) }),
  ];
  const tasks = batches.map((frames, index) => async (signal: AbortSignal) => {
    const folder = `${job.folder}/${index}`;
    await mkdir(folder);
    return await drawBatch({ ...job, frames, folder, signal, budget }, segments);
  });
  const drawn = (await runAll(tasks, { concurrency: availableParallelism(), signal: job.signal })).flat();
  return drawn.sort((one, other) => one.frame - other.frame);
}

const maxBatchFrames = 16;
/** Limits open files: every frame of a process opens its overlays again. */
const maxBatchOverlays = 100;

function maxFramesFromSources({ timeline, frames }: FramesJob): number {
  const counts = frames.map((frame) => timeline.overlays.filter(({ range }) => isInside(frame, range)).length);
  return Math.max(1, Math.min(maxBatchFrames, Math.floor(maxBatchOverlays / Math.max(1, ...counts))));
}

function clipOn({ timeline }: FramesJob, frame: number) {
  const span = timeline.track.spans.find(({ range }) => isInside(frame, range));
  if (span?.kind === "transition") return span.from;
  return span?.kind === "clip" ? span.clip : undefined;
}

/** The frames of a batch are all in segments, or none is. */
async function drawBatch(job: BudgetedJob, segments: readonly LinkedSegment[]): Promise<readonly DrawnFrame[]> {
  const { frames, folder, size, owner, signal, canvas } = job;
  const output = `${folder}/pixels.raw`;
  const segmentOf = (frame: number) => segments.find(({ range }) => isInside(frame, range));
  const isCached = frames.some(segmentOf);
  if (isCached) await runBatch(job, await decodeSegments(job, segments, output), await job.segmentDecoder());
  else await renderFromSources(job, output);

  const outputs = frames.map((frame) => `${folder}/frame-${frame}.png`);
  await canvas.run("encodeFrames", { path: output, size, outputs }, { owner, signal, bitmaps: outputs.length });
  // safe because each frame has an output
  return frames.map((frame, index) => ({ frame, path: outputs[index]!, segment: segmentOf(frame)?.key }));
}

type BatchOptions = {
  readonly maxFrames: number;
  /** Decoding the frames of one group together costs less than separately. */
  readonly groupOf: (frame: number) => unknown;
};

/** Splits frames, in ascending order, into batches for all cores. A group stays in one batch if it is not too large. */
export function splitFrames(
  frames: readonly number[],
  { maxFrames, groupOf }: BatchOptions,
  cores = availableParallelism(),
): readonly (readonly number[])[] {
  const evenSize = Math.min(maxFrames, Math.ceil(frames.length / cores));
  const batches: number[][] = [];
  for (const [index, frame] of frames.entries()) {
    const batch = batches.at(-1);
    const isNewGroup = index > 0 && groupOf(frame) !== groupOf(frames[index - 1]!);
    const isFull = !batch || batch.length >= maxFrames || (isNewGroup && batch.length >= evenSize);
    if (isFull) batches.push([frame]);
    else batch.push(frame);
  }
  return batches;
}

/** A job whose batches share a budget for bitmaps. */
type BudgetedJob = FramesJob & { readonly budget: ByteBudget };

/** Renders from excerpts of the sources, or from whole sources if damaged ones have no frame to show in an excerpt. */
async function renderFromSources(job: BudgetedJob, output: string): Promise<void> {
  const { signal, ffmpeg, size, canvas, folder, isTransparent } = job;
  const request = { ...(await prepareFrames(job)), size, isTransparent, threads: availableParallelism() };
  const render = (from: TimelineFrames) => runBatch(job, compileFrames(from, output));
  const excerpts = await writeExcerpts(canvas, { ...request, folder }, job);
  if (excerpts && (await succeeds(render({ ...request, ...excerpts })))) return;
  signal.throwIfAborted();
  await render(request).catch(async (error) => {
    signal.throwIfAborted();
    throw await diagnoseFailure(error, ffmpeg, { ...request, folder });
  });
}

type PreparedFrames = Omit<TimelineFrames, "size" | "threads"> & { overlaySourcePath(source: Source): string };

async function prepareFrames(job: BudgetedJob): Promise<PreparedFrames> {
  const { files: store, frames, folder, owner, signal, budget } = job;
  const { textEngine, projectId } = job.scope;
  const timeline = visibleOn(job.timeline, frames);
  const { canvas, rate } = timeline;
  const [files] = await linkSources(
    [timeline],
    store,
    folder,
    materializeCached(job.canvas, { ...job, cache: job.frameCache }),
  );
  const pathOf = await linkOverlaySources([timeline], store, folder);
  const draw = overlayDrawer({ canvas: job.canvas, owner, pathOf });
  const isFor = job.quality === "draft" ? () => true : isShownHalved(canvas, job.size);
  const proxies = await linkProxies(job.proxies, timeline, { folder, owner, projectId, isFor });
  // safe because linkSources returns one per timeline
  const picture = { timeline: proxies.show(timeline), files: proxies.pathsBeside(files!) };
  const renderGround: RenderGround = async (shown, overlays) => {
    const output = `${folder}/ground.rgba`;
    const { isTransparent } = job;
    const request = { ...picture, frames: shown, overlays, isTransparent, threads: availableParallelism() };
    await runBatch({ ...job, frames: shown }, compileGround(request, output));
    return output;
  };
  const renderFootage = footageRenderer({
    ...{ folder, rate, pathOf },
    run: (command, count) =>
      runBatch({ ...job, frames: [...Array(count).keys()] }, command).catch(async (error) => {
        signal.throwIfAborted();
        throw await diagnoseFailure(error, job.ffmpeg, { ...picture, folder, overlaySourcePath: pathOf });
      }),
  });
  const drawing = { canvas, rate, textEngine, folder, budget, draw, frames, signal, renderGround, renderFootage };
  return { ...picture, frames, overlaySourcePath: pathOf, overlays: await drawOverlays(piecesOf(timeline), drawing) };
}

/** The part of a timeline that is visible on some frames, without sound. */
function visibleOn(timeline: Timeline, frames: readonly number[]): Timeline {
  const isVisible = ({ range }: { readonly range: FrameRange }) => frames.some((frame) => isInside(frame, range));
  const track = { ...timeline.track, spans: timeline.track.spans.filter(isVisible) };
  return { ...timeline, track, overlays: timeline.overlays.filter(isVisible), sound: { pieces: [] } };
}
