import { mkdir } from "node:fs/promises";
import type { ConcurrencyLimit, TaskOptions } from "../../platform/limits/concurrency-limit.ts";
import type { Ffmpeg } from "../ffmpeg/ffmpeg.ts";
import { byteBudget } from "../overlays/files.ts";
import { segmentOverlays } from "../overlays/overlays.ts";
import { piecesOf } from "../overlays/pieces.ts";
import type { FileStore, RenderCache, Renderer } from "../ports.ts";
import type { Proxies } from "../proxies/build.ts";
import { type LinkedProxies, linkProxies, withoutProxies } from "../proxies/link-proxies.ts";
import type { TaskPool } from "../sandbox/task-pool.ts";
import { mp4Output, type Output } from "../timeline/format.ts";
import type { Timeline } from "../timeline/timeline.ts";
import type { CacheScope } from "./cache-keys.ts";
import { segmentEncoding } from "./encodings.ts";
import { type RenderJob, segmentFilesOf, type Video } from "./job.ts";
import { overlayDrawer } from "./overlay-drawer.ts";
import { linkOverlaySources, materializeCached, materializeWith, sourceLinks } from "./sources.ts";
import type { SingleFlight } from "./tasks/single-flight.ts";

/** The dependencies that all jobs of a process share. */
export type RendererDeps = Pick<RenderJob, "concurrency" | "sharedFromPixels" | "telemetry"> & {
  readonly ffmpeg: Ffmpeg;
  readonly files: FileStore;
  readonly cache: RenderCache;
  readonly canvas: TaskPool;
  readonly limit: ConcurrencyLimit;
  readonly singleFlight: SingleFlight;
  /** The version of the program. */
  readonly version: string;
  /** The proxies that drafts show instead of their sources. */
  readonly proxies: Proxies;
  /** The cache of prepared images. Default: images are prepared for each job. */
  readonly imageCache?: RenderCache | undefined;
  /** The niceness of ffmpeg. Default: that of work that no user waits for on screen. */
  readonly niceness?: number | undefined;
};

export const scopeOf = async ({ ffmpeg, canvas }: RendererDeps, projectId: string): Promise<CacheScope> => ({
  projectId,
  ffmpegVersion: ffmpeg.version,
  textEngine: await canvas.textEngine(),
});

type JobOptions = Omit<Parameters<Renderer["render"]>[1], "poster">;

/** Prepares a job in a folder. Its sources are not linked yet. */
export async function prepareJob(
  deps: RendererDeps,
  timelines: readonly Timeline[],
  folder: string,
  options: JobOptions,
): Promise<RenderJob> {
  const { limit, ffmpeg, files, canvas } = deps;
  const scope = await scopeOf(deps, options.projectId);
  const { imageCache, niceness } = deps;
  const { owner, signal } = options;
  const materialize = imageCache
    ? materializeCached(canvas, { owner, signal, scope, cache: imageCache })
    : materializeWith(canvas, options);
  const { paths, link } = sourceLinks(timelines, files, folder, materialize);
  const { output = mp4Output } = options;
  const limits = niceness === undefined ? undefined : { niceness };
  const [timeline] = timelines;
  if (!timeline) throw new Error("There is no timeline to render.");
  // all timelines have the same clips
  const proxies =
    options.quality === "draft" ? await linkProxies(deps.proxies, timeline, { ...options, folder }) : withoutProxies;
  const videos = await prepareVideos(deps, timelines, folder, { ...options, output, scope, paths, proxies });
  return {
    ...deps,
    ...options,
    output,
    encoding: segmentEncoding(options.quality, output),
    // safe because there is a timeline
    videos: videos as [Video, ...Video[]],
    linkSources: link,
    folder,
    run: (command, runOptions) =>
      limit(() => ffmpeg.run(command, { ...runOptions, ...(limits && { limits }) }), options),
    scope,
  };
}

type VideoOptions = TaskOptions & {
  readonly output: Output;
  readonly scope: CacheScope;
  readonly paths: readonly Video["files"][];
  readonly proxies: LinkedProxies;
};

/** Links the sources of overlays and creates a folder for each video. The first video uses the job's own folder. */
async function prepareVideos(
  { files, canvas }: RendererDeps,
  timelines: readonly Timeline[],
  folder: string,
  { output, scope, owner, paths, proxies }: VideoOptions,
): Promise<readonly Video[]> {
  const pathOf = await linkOverlaySources(timelines, files, folder);
  const draw = overlayDrawer({ canvas, owner, pathOf });
  const budget = byteBudget();
  const videos: Video[] = [];
  for (const [index, timeline] of timelines.entries()) {
    const videoFolder = index === 0 ? folder : `${folder}/film-${index}`;
    await mkdir(videoFolder, { recursive: true });
    const { canvas: size, rate } = timeline;
    const segments = segmentFilesOf(timeline, output.format).map(({ range }) => range);
    const drawOptions = { canvas: size, rate, textEngine: scope.textEngine, folder: videoFolder, budget, draw };
    const overlays = segmentOverlays(piecesOf(timeline), segments, drawOptions);
    const sources = paths[index]!; // safe because each timeline has paths
    const picture = { timeline: proxies.show(timeline), files: proxies.pathsBeside(sources) };
    videos.push({ timeline, folder: videoFolder, files: sources, picture, overlays, overlaySourcePath: pathOf });
  }
  return videos;
}
