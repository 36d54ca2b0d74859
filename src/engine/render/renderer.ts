import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { rm } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { once, runAll } from "../../platform/async.ts";
import { mapDiskFull, withJobFolder } from "../../platform/files.ts";
import type { LeasePorts } from "../../platform/leases.ts";
import { concurrencyLimit } from "../../platform/limits/concurrency-limit.ts";
import { type CpuBudget, cpuBudget } from "../../platform/limits/cpu-budget.ts";
import { type Provenance, provenanceBox } from "../c2pa/manifest.ts";
import { signImage } from "../c2pa/sign-image.ts";
import type { Ffmpeg } from "../ffmpeg/ffmpeg.ts";
import { type JoinOptions, joinVideo, type ReservedBox } from "../mp4/join.ts";
import {
  type Engine,
  type FileStore,
  inStage,
  noRenderTelemetry,
  type Previewer,
  type RenderCache,
  type RenderedVideos,
  type Renderer,
  type RenderTelemetry,
} from "../ports.ts";
import { noProxies, type Proxies } from "../proxies/build.ts";
import { sharedTaskPool, type TaskPool } from "../sandbox/task-pool.ts";
import { formatTable, mp4Output } from "../timeline/format.ts";
import { framesIn } from "../timeline/time.ts";
import type { Timeline } from "../timeline/timeline.ts";
import { engineVersion } from "./cache-keys.ts";
import { carriedManifests } from "./carried-manifests.ts";
import { finishFilm } from "./finish-film.ts";
import { type RenderJob, type SegmentFile, segmentFilesOf, type Video } from "./job.ts";
import { withPalette } from "./palette.ts";
import { planVideos } from "./plan.ts";
import { prepareJob, type RendererDeps, scopeOf } from "./prepare.ts";
import { segmentPreviewer } from "./previewer.ts";
import { planTasks } from "./segments.ts";
import { renderSharedTasks } from "./shared-tasks.ts";
import { soundFileOf } from "./sound.ts";
import { diagnoseFailure } from "./sources.ts";
import { drawPicture } from "./still-picture.ts";
import { singleFlight } from "./tasks/single-flight.ts";
import { textTrackOf } from "./text-track.ts";

type RendererOptions = {
  readonly ffmpeg: Ffmpeg;
  readonly files: FileStore;
  readonly cache: RenderCache;
  readonly leases: LeasePorts["leases"];
  /** The maximum number of ffmpeg processes per job. */
  readonly concurrency: number;
  readonly canvas?: TaskPool;
  /** Default: a budget of this renderer's own. */
  readonly cpu?: Pick<CpuBudget, "exports" | "batches" | "frames">;
  /** The cache for previews, whose parts are not counted. Default: the same. */
  readonly previewCache?: RenderCache;
  /** The cache of images that previews show. */
  readonly imageCache?: RenderCache;
  /** Tests choose a lower value. */
  readonly sharedFromPixels?: number;
  readonly telemetry?: RenderTelemetry;
  /** The version of the program. */
  readonly version?: string;
  /** Default: no proxies. */
  readonly proxies?: Proxies;
};

/** The pixels that a process renders in about five seconds: less does not justify starting another one. */
const sharedFromPixels = 5 * 30 * 1080 * 1920;

type RenderOptions = Parameters<Renderer["render"]>[1];

/** The niceness of films of batches: below that of exports that a user waits for. */
const batchNiceness = 19;

export function ffmpegRenderer(options: RendererOptions): Renderer & { readonly previewer: Previewer } {
  const { cache, leases, concurrency, telemetry = noRenderTelemetry, version = "0", ...others } = options;
  const { previewCache = cache, imageCache, ...rendering } = options;
  const { canvas = sharedTaskPool(), proxies = noProxies } = others;
  const { cpu = cpuBudget(concurrency) } = options;
  const own = { canvas, telemetry, proxies, limit: cpu.exports, singleFlight: singleFlight({ leases }) };
  const deps: RendererDeps = { sharedFromPixels, ...rendering, ...own, version };
  const batchDeps = { ...deps, limit: cpu.batches, niceness: batchNiceness };
  const depsFor = ({ isBatch }: Pick<RenderOptions, "isBatch">) => (isBatch ? batchDeps : deps);
  return {
    engine: engineOf(deps),
    plan: async (timelines, { quality, projectId, output = mp4Output }) =>
      await planVideos(timelines, { quality, output, cache, scope: await scopeOf(deps, projectId) }),
    render: (timelines, renderOptions) =>
      proxies.during(() => mapDiskFull(render(depsFor(renderOptions), timelines, renderOptions))),
    renderTasks: (timelines, renderOptions) =>
      proxies.during(() => mapDiskFull(renderTasks(depsFor(renderOptions), timelines, renderOptions))),
    previewer: segmentPreviewer({ ...deps, cache: previewCache, imageCache, limit: cpu.frames }),
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
    const { job, reserved } = await inStage(deps.telemetry, "sources", async () => ({
      job: await prepareLinkedJob(deps, timelines, folder, options),
      reserved: await reservedBoxOf(deps, options, folder),
    }));
    const { format } = job.output;
    const isPicture = format === "png" || format === "jpg";
    const rendering = isPicture ? renderPictures(deps, job, options) : renderFilms(deps, job, { reserved, ...options });
    const paths = await rendering.catch(async (error) => {
      options.signal.throwIfAborted();
      throw await diagnoseFailure(error, deps.ffmpeg, job.videos[0]);
    });
    const posters = await drawPosters(deps, job, options);
    const videos = paths.map((path, index) => {
      const poster = posters[index];
      return { ...fileAt(path), ...(poster && { poster: fileAt(poster) }) };
    });
    return { videos, dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

const fileAt = (path: string) => ({ path, sizeBytes: Bun.file(path).size });

async function renderFilms(
  deps: RendererDeps,
  job: RenderJob,
  { reserved, ...options }: RenderOptions & { readonly reserved: ReservedBox | undefined },
): Promise<readonly string[]> {
  return await renderVideos(await withPalette(deps, job, options), reserved);
}

/** Draws one frame of each video as its file. */
async function renderPictures(deps: RendererDeps, job: RenderJob, options: RenderOptions): Promise<readonly string[]> {
  const { at, isTransparent } = job.output;
  const format = job.output.format === "jpg" ? "jpg" : "png";
  const picture = { at, format, isTransparent } as const;
  const provenance = await provenanceOf(deps, options, job.folder);
  const paths: string[] = [];
  for (const [index, { timeline }] of job.videos.entries()) {
    const folder = `${job.folder}/picture-${index}`;
    const path = await drawPicture(deps, timeline, picture, { ...options, folder });
    // an image is small, and only its hash and its manifest are computed here
    if (provenance) await Bun.write(path, signImage(Buffer.from(await Bun.file(path).bytes()), format, provenance));
    paths.push(path);
  }
  const frames = job.videos.reduce((sum, { timeline }) => sum + timeline.track.frames, 0);
  options.onProgress?.({ framesDone: frames, framesRendered: job.videos.length });
  return paths;
}

async function drawPosters(deps: RendererDeps, job: RenderJob, options: RenderOptions): Promise<readonly string[]> {
  const { poster } = options;
  if (!poster) return [];
  const picture = { at: poster.at, format: "jpg", isTransparent: false } as const;
  const paths: string[] = [];
  for (const [index, { timeline }] of job.videos.entries()) {
    paths.push(await drawPicture(deps, timeline, picture, { ...options, folder: `${job.folder}/poster-${index}` }));
  }
  return paths;
}

async function reservedBoxOf(
  deps: RendererDeps,
  options: RenderOptions,
  folder: string,
): Promise<ReservedBox | undefined> {
  const { output = mp4Output } = options;
  const provenance = output.format === "mp4" ? await provenanceOf(deps, options, folder) : undefined;
  return provenance && provenanceBox(provenance);
}

async function provenanceOf(
  deps: RendererDeps,
  { provenance, ...options }: RenderOptions,
  folder: string,
): Promise<Provenance | undefined> {
  if (!provenance) return undefined;
  const carried = await carriedManifests(deps, provenance.signedFiles, { ...options, folder });
  return { ...provenance, carried, generator: { name: "Reelwright", version: deps.version } };
}

async function prepareLinkedJob(...args: Parameters<typeof prepareJob>): Promise<RenderJob> {
  const job = await prepareJob(...args);
  await job.linkSources();
  return job;
}

const renderTasks = (
  deps: RendererDeps,
  timelines: readonly Timeline[],
  { sharedTasks, ...options }: Parameters<Renderer["renderTasks"]>[1],
): Promise<void> =>
  withJobFolder(deps.files.jobFolder, async (folder) =>
    renderSharedTasks(await prepareJob(deps, timelines, folder, options), sharedTasks),
  );

/** Renders the sound and all segments in parallel, then muxes each video. Returns the paths of the videos. */
async function renderVideos(job: RenderJob, reserved: ReservedBox | undefined): Promise<readonly string[]> {
  const { videos, signal, concurrency, telemetry, output } = job;
  const [{ timeline }] = videos;
  const isSound = formatTable[output.format].kind === "sound";
  const segments = isSound ? [] : segmentFilesOf(timeline, output.format);
  await inStage(telemetry, "encode", async () => {
    const slots = concurrencyLimit({ concurrency });
    const { tasks, close } = await planTasks(job, segments, slots);
    // equally many may wait until their segments are stored
    await runAll(tasks, { concurrency: 2 * concurrency, signal }).finally(close);
  });
  return await inStage(telemetry, "join", () =>
    Promise.all(
      videos.map((video) =>
        output.format === "mp4"
          ? muxVideo(job, video, { segments, sound: soundFileOf(job), reserved })
          : finishFilm(job, video, segments),
      ),
    ),
  );
}

type MuxOptions = Pick<JoinOptions, "sound" | "reserved"> & { readonly segments: readonly SegmentFile[] };

/** Joins the segments and the sound of a video without encoding again. Returns the path of the finished file. */
async function muxVideo(
  { signal }: RenderJob,
  { timeline, folder }: Video,
  { segments, ...parts }: MuxOptions,
): Promise<string> {
  const output = `${folder}/film.mp4`;
  const files = segments.map(({ range, name }) => ({ path: `${folder}/${name}`, frames: framesIn(range) }));
  const { rate } = timeline;
  await joinVideo({ ...parts, segments: files, rate, text: textTrackOf(timeline), signal }, output);
  return output;
}

/** Read once per process: the program is not replaced while it is in use. */
function engineOf({ ffmpeg, canvas, version }: RendererDeps): () => Promise<Engine> {
  const hashProgram = once(() => hashOf(ffmpeg.path));
  return async () => ({
    reelwright: version,
    renderer: engineVersion,
    ffmpeg: { version: ffmpeg.version, sha256: await hashProgram() },
    texts: await canvas.textEngine(),
  });
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}
