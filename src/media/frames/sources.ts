import { availableParallelism } from "node:os";
import { compileFrames, type TimelineFrames } from "../../compiler/frames.ts";
import { type FrameRange, isInside } from "../../timeline/time.ts";
import type { Timeline } from "../../timeline/timeline.ts";
import type { ByteBudget } from "../overlays/files.ts";
import { drawOverlays } from "../overlays/overlays.ts";
import { isShownHalved, linkProxies } from "../proxies/link-proxies.ts";
import { succeeds, writeExcerpts } from "../render/excerpts.ts";
import { overlayDrawer } from "../render/overlay-drawer.ts";
import { diagnoseFailure, linkOverlaySources, linkSources, materializeCached } from "../render/sources.ts";
import { type FramesJob, runBatch } from "./job.ts";

/** A job whose batches share a budget for bitmaps. */
export type BudgetedJob = FramesJob & { readonly budget: ByteBudget };

/** Renders from excerpts of the sources, or from whole sources if damaged ones have no frame to show in an excerpt. */
export async function renderFromSources(job: BudgetedJob, output: string): Promise<void> {
  const { signal, ffmpeg, size, canvas, folder } = job;
  const request = { ...(await prepareFrames(job)), size, threads: availableParallelism() };
  const render = (from: TimelineFrames) => runBatch(job, compileFrames(from, output));
  const excerpts = await writeExcerpts(canvas, { ...request, folder }, job);
  if (excerpts && (await succeeds(render({ ...request, ...excerpts })))) return;
  signal.throwIfAborted();
  await render(request).catch(async (error) => {
    signal.throwIfAborted();
    throw await diagnoseFailure(error, ffmpeg, { ...request, folder });
  });
}

async function prepareFrames(job: BudgetedJob): Promise<Omit<TimelineFrames, "size" | "threads">> {
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
  const drawing = { canvas, rate, textEngine, folder, budget, draw, frames, signal };
  const overlays = await drawOverlays(timeline.overlays, drawing);
  const isFor = job.quality === "draft" ? () => true : isShownHalved(canvas, job.size);
  const proxies = await linkProxies(job.proxies, timeline, { folder, owner, projectId, isFor });
  // safe because linkSources returns one per timeline
  return { timeline: proxies.show(timeline), frames, overlays, files: proxies.pathsBeside(files!) };
}

/** The part of a timeline that is visible on some frames, without sound. */
function visibleOn(timeline: Timeline, frames: readonly number[]): Timeline {
  const isVisible = ({ range }: { readonly range: FrameRange }) => frames.some((frame) => isInside(frame, range));
  const track = { ...timeline.track, spans: timeline.track.spans.filter(isVisible) };
  return { ...timeline, track, overlays: timeline.overlays.filter(isVisible), sound: { pieces: [] } };
}
