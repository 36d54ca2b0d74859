import { mkdir, rm } from "node:fs/promises";
import { compileSound } from "../../compiler/sound/sound.ts";
import type { RenderCache, RenderedVideos, Renderer } from "../../domain/exports/renderer.ts";
import type { FileStore } from "../../domain/files/file-store.ts";
import type { LeasePorts } from "../../domain/shared/leases.ts";
import { type ConcurrencyLimit, concurrencyLimit } from "../../platform/concurrency-limit.ts";
import { mapDiskFull } from "../../platform/disk-full.ts";
import { runAll } from "../../platform/run-all.ts";
import type { TaskOptions } from "../../platform/task-options.ts";
import type { Timeline } from "../../timeline/timeline.ts";
import { type CanvasProcesses, sharedCanvasProcesses } from "../canvas/processes.ts";
import type { Ffmpeg } from "../ffmpeg/ffmpeg.ts";
import { byteBudget } from "../overlays/files.ts";
import { segmentOverlays } from "../overlays/overlays.ts";
import type { CacheScope } from "./cache-keys.ts";
import type { RenderJob, Video } from "./job.ts";
import { muxVideo } from "./mux.ts";
import { overlayDrawer } from "./overlay-drawer.ts";
import { planVideos } from "./plan.ts";
import { segmentFilesOf } from "./segment-files.ts";
import { segmentTasks } from "./segments.ts";
import { type SingleFlight, singleFlight } from "./single-flight.ts";
import { soundTask } from "./sound.ts";
import { diagnoseFailure, linkOverlaySources, linkSources, placePreparedImage } from "./sources.ts";

type RendererOptions = {
  readonly ffmpeg: Ffmpeg;
  readonly files: FileStore;
  readonly cache: RenderCache;
  readonly leases: LeasePorts["leases"];
  /** ffmpeg processes of one user at a time, over all jobs; one more runs for other users. */
  readonly concurrency: number;
  readonly canvas?: CanvasProcesses;
};

/** The options, and the state that all jobs share. */
type RendererDeps = Required<RendererOptions> & {
  readonly limit: ConcurrencyLimit;
  readonly singleFlight: SingleFlight;
};

type RenderOptions = Parameters<Renderer["render"]>[1];

export function ffmpegRenderer(options: RendererOptions): Renderer {
  const { cache, leases, concurrency, canvas = sharedCanvasProcesses() } = options;
  const limit = concurrencyLimit({ concurrency: concurrency + 1, perOwner: concurrency });
  const deps: RendererDeps = { ...options, canvas, limit, singleFlight: singleFlight({ leases }) };
  return {
    plan: async (timelines, { quality, projectId }) =>
      await planVideos(timelines, { quality, cache, scope: await scopeOf(deps, projectId) }),
    render: (timelines, renderOptions) => mapDiskFull(render(deps, timelines, renderOptions)),
  };
}

const scopeOf = async ({ ffmpeg, canvas }: RendererDeps, projectId: string): Promise<CacheScope> => ({
  projectId,
  ffmpegVersion: ffmpeg.version,
  textEngine: await canvas.textEngine(),
});

async function render(
  deps: RendererDeps,
  timelines: readonly Timeline[],
  options: RenderOptions,
): Promise<RenderedVideos> {
  const folder = await deps.files.jobFolder();
  const dispose = () => rm(folder, { recursive: true, force: true });
  try {
    const job = await prepareJob(deps, timelines, folder, options);
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

/** Renders the sound and all segments in parallel, then muxes each video. Returns the paths of the videos. */
async function renderVideos(job: RenderJob): Promise<readonly string[]> {
  const { videos, folder, signal, concurrency } = job;
  const [{ timeline, files }] = videos;
  const segments = segmentFilesOf(timeline);
  const sound = compileSound({ timeline, files }, folder);
  const tasks = [soundTask(job, sound), ...(await segmentTasks(job, segments))];
  await runAll(tasks, { concurrency, signal });
  return await Promise.all(videos.map((video) => muxVideo(job, video, segments, sound.output)));
}

async function prepareJob(
  deps: RendererDeps,
  timelines: readonly Timeline[],
  folder: string,
  options: RenderOptions,
): Promise<RenderJob> {
  const { limit, singleFlight, ffmpeg, cache, concurrency, canvas } = deps;
  const scope = await scopeOf(deps, options.projectId);
  const [first, ...others] = await prepareVideos(deps, timelines, folder, { ...options, scope });
  if (!first) throw new Error("There is no timeline to render.");
  return {
    ...options,
    videos: [first, ...others],
    folder,
    run: (command, runOptions) => limit(() => ffmpeg.run(command, runOptions), options),
    concurrency,
    canvas,
    cache,
    scope,
    singleFlight,
  };
}

/** Links the sources into the job's folder and creates a folder for each video. The first video uses the job's own. */
async function prepareVideos(
  { files: store, canvas }: RendererDeps,
  timelines: readonly Timeline[],
  folder: string,
  { scope, owner, signal }: TaskOptions & { readonly scope: CacheScope },
): Promise<readonly Video[]> {
  const files = await linkSources(timelines, store, folder, placePreparedImage(canvas, { owner, signal }));
  const pathOf = await linkOverlaySources(timelines, store, folder);
  const draw = overlayDrawer({ canvas, owner, pathOf });
  const budget = byteBudget();
  const videos: Video[] = [];
  for (const [index, timeline] of timelines.entries()) {
    const videoFolder = index === 0 ? folder : `${folder}/film-${index}`;
    await mkdir(videoFolder, { recursive: true });
    const { canvas: size, rate } = timeline;
    const segments = segmentFilesOf(timeline).map(({ range }) => range);
    const drawOptions = { canvas: size, rate, textEngine: scope.textEngine, folder: videoFolder, budget, draw };
    const overlays = segmentOverlays(timeline.overlays, segments, drawOptions);
    videos.push({ timeline, folder: videoFolder, files: files[index]!, overlays });
  }
  return videos;
}
