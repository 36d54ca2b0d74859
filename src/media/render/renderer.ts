import { rm } from "node:fs/promises";
import { soundPath } from "../../compiler/sound/sound.ts";
import type { RenderCache, RenderedVideos, Renderer } from "../../domain/exports/renderer.ts";
import type { FileStore } from "../../domain/files/file-store.ts";
import type { LeasePorts } from "../../domain/shared/leases.ts";
import { inStage, noTelemetry, type Telemetry } from "../../domain/telemetry/telemetry.ts";
import { concurrencyLimit } from "../../platform/concurrency-limit.ts";
import { mapDiskFull } from "../../platform/disk-full.ts";
import { runAll } from "../../platform/run-all.ts";
import { framesIn } from "../../timeline/time.ts";
import type { Timeline } from "../../timeline/timeline.ts";
import { type CanvasProcesses, sharedCanvasProcesses } from "../canvas/processes.ts";
import { entryPoints } from "../entries/build.ts";
import type { Ffmpeg } from "../ffmpeg/ffmpeg.ts";
import { joinFilm } from "../mp4/join.ts";
import { halfSizeCopies } from "../prepared/half-size.ts";
import type { PreparedKind } from "../prepared/kind.ts";
import { nothingPrepared, type Prepared } from "../prepared/prepared.ts";
import type { RenderJob, Video } from "./job.ts";
import { planVideos } from "./plan.ts";
import { prepareJob, type RendererDeps, scopeOf } from "./prepare.ts";
import { singleFlight } from "./runs/single-flight.ts";
import { type SegmentFile, segmentFilesOf } from "./segment-files.ts";
import { segmentTasks } from "./segments.ts";
import { renderSharedRuns } from "./shared-runs.ts";
import { soundTask } from "./sound.ts";
import { diagnoseFailure } from "./sources.ts";
import { textTrackOf } from "./text-track.ts";

type RendererOptions = {
  readonly ffmpeg: Ffmpeg;
  readonly files: FileStore;
  readonly cache: RenderCache;
  readonly leases: LeasePorts["leases"];
  /** ffmpeg processes of one user at a time, over all jobs; one more runs for other users. */
  readonly concurrency: number;
  readonly canvas?: CanvasProcesses;
  /** Tests choose fewer. */
  readonly sharedFromPixels?: number;
  readonly telemetry?: Telemetry;
  /** Default: nothing is prepared. */
  readonly prepared?: Prepared;
  readonly copies?: PreparedKind;
  readonly entries?: PreparedKind;
};

/** What a process renders in about five seconds: less is not worth the start of another one. */
const sharedFromPixels = 5 * 30 * 1080 * 1920;

type RenderOptions = Parameters<Renderer["render"]>[1];

export function ffmpegRenderer(options: RendererOptions): Renderer {
  const { cache, leases, concurrency, telemetry = noTelemetry, ...others } = options;
  const { canvas = sharedCanvasProcesses(), prepared = nothingPrepared } = others;
  const { copies = halfSizeCopies(options.ffmpeg), entries = entryPoints({ ffmpeg: options.ffmpeg, canvas }) } = others;
  const limit = concurrencyLimit({ concurrency: concurrency + 1, perOwner: concurrency });
  const own = { canvas, telemetry, prepared, copies, entries, limit, singleFlight: singleFlight({ leases }) };
  const deps: RendererDeps = { sharedFromPixels, ...options, ...own };
  return {
    plan: async (timelines, { quality, projectId }) =>
      await planVideos(timelines, { quality, cache, scope: await scopeOf(deps, projectId) }),
    render: (timelines, renderOptions) => prepared.during(() => mapDiskFull(render(deps, timelines, renderOptions))),
    renderRuns: (timelines, renderOptions) =>
      prepared.during(() => mapDiskFull(renderRuns(deps, timelines, renderOptions))),
  };
}

async function render(
  deps: RendererDeps,
  timelines: readonly Timeline[],
  options: RenderOptions,
): Promise<RenderedVideos> {
  const folder = await deps.files.jobFolder();
  const dispose = () => rm(folder, { recursive: true, force: true });
  try {
    const job = await inStage(deps.telemetry, "sources", () => prepareLinkedJob(deps, timelines, folder, options));
    const paths = await renderVideos(job).catch(async (error) => {
      options.signal.throwIfAborted();
      throw await diagnoseFailure(error, deps.ffmpeg, job.videos[0]);
    });
    return { videos: paths.map((path) => ({ path, sizeBytes: Bun.file(path).size })), dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

async function prepareLinkedJob(...args: Parameters<typeof prepareJob>): Promise<RenderJob> {
  const job = await prepareJob(...args);
  await job.linkSources();
  return job;
}

async function renderRuns(
  deps: RendererDeps,
  timelines: readonly Timeline[],
  { sharedRuns, ...options }: Parameters<Renderer["renderRuns"]>[1],
): Promise<void> {
  const folder = await deps.files.jobFolder();
  try {
    await renderSharedRuns(await prepareJob(deps, timelines, folder, options), sharedRuns);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Renders the sound and all segments in parallel, then muxes each video. Returns the paths of the videos. */
async function renderVideos(job: RenderJob): Promise<readonly string[]> {
  const { videos, folder, signal, concurrency, telemetry } = job;
  const [{ timeline }] = videos;
  const segments = segmentFilesOf(timeline);
  await inStage(telemetry, "encode", async () => {
    const slots = concurrencyLimit({ concurrency });
    const sound = (taskSignal: AbortSignal) => slots(() => soundTask(job)(taskSignal), { signal: taskSignal });
    const { tasks, close } = await segmentTasks(job, segments, slots);
    // as many again may wait until their segments are stored
    await runAll([sound, ...tasks], { concurrency: 2 * concurrency, signal }).finally(close);
  });
  return await inStage(telemetry, "join", () =>
    Promise.all(videos.map((video) => muxVideo(job, video, segments, soundPath(folder)))),
  );
}

/** Joins the segments and the sound of a video without encoding again. Returns the path of the finished file. */
async function muxVideo(
  { signal }: RenderJob,
  { timeline, folder }: Video,
  segments: readonly SegmentFile[],
  sound: string,
): Promise<string> {
  const output = `${folder}/film.mp4`;
  const files = segments.map(({ range, name }) => ({ path: `${folder}/${name}`, frames: framesIn(range) }));
  const { rate } = timeline;
  await joinFilm({ segments: files, sound, rate, text: textTrackOf(timeline), signal }, output);
  return output;
}
