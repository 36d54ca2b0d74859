import { basename } from "node:path";
import { yieldIfBusy } from "../../platform/cpu.ts";
import { withJobFolder } from "../../platform/files.ts";
import { concurrencyLimit, type TaskOptions } from "../../platform/limits/concurrency-limit.ts";
import { soundPath } from "../compiler/sound/sound.ts";
import { readFragment, readFragmentedSound, readInitialization } from "../mp4/fragments.ts";
import { codecOf } from "../mp4/h264/codec.ts";
import type { Previewer, PreviewPart, PreviewQuality } from "../ports.ts";
import type { Timeline } from "../timeline/timeline.ts";
import { type Clip, mapClips } from "../timeline/track.ts";
import { type CacheScope, previewKey, segmentKey, soundKey } from "./cache-keys.ts";
import { bufferedFramesOf, delayFramesOf, encodingFor } from "./encodings.ts";
import { type RenderJob, type SegmentFile, segmentFilesOf } from "./job.ts";
import { prepareJob, type RendererDeps, scopeOf } from "./prepare.ts";
import { missingSegmentsOf, provideEncodeTask } from "./segments.ts";
import { provideSound } from "./sound.ts";
import { diagnoseFailure, visibleSourcesIn } from "./sources.ts";

/** The content of a preview. It is cached, so that other processes can serve the preview's parts, too. */
type Description = {
  readonly workId: string;
  readonly quality: PreviewQuality;
  /** The sound may be omitted: then it is in the cache. */
  readonly timeline: Timeline;
  /** The name of the sound. */
  readonly sound: string;
};

type ReadOptions = Required<TaskOptions> & { readonly projectId: string; readonly workId: string };

/** A user waits for the parts, as for frames: they have priority over exports. */
const niceness = 5;

/** Renders like an export, so that both share their results. The processes use the slots of frames. */
export function segmentPreviewer(deps: RendererDeps): Previewer {
  const slots = { concurrency: deps.concurrency + 1, perOwner: deps.concurrency };
  const limit = concurrencyLimit({ ...slots, maxQueuedPerOwner: 32, maxQueued: 1000, retryAfterSeconds: 2 });
  const render = <Result>(task: () => Promise<Result>, options: TaskOptions) =>
    deps.proxies.during(() => limit(task, options));
  const awaited: RendererDeps = { ...deps, niceness };

  return {
    plan: (timeline, { quality, workId, isSoundLost, ...options }) =>
      withJobFolder(deps.files.jobFolder, async (folder) => {
        const scope = await scopeOf(deps, options.projectId);
        const sound = basename(soundKey(timeline, scope));
        if (isSoundLost) {
          const rendering = { quality, folder, render, ...options };
          await renderMissing(awaited, timeline, rendering, renderSound);
        }
        const described = isSoundLost ? { ...timeline, sound: { pieces: [] } } : timeline;
        const description: Description = { workId, quality, timeline: described, sound };
        return {
          id: await keep(deps, description, { scope, folder }),
          segments: await planSegments(deps, timeline, { quality, scope }),
          soundId: sound,
          videoCodec: codecOf(timeline.canvas, timeline.rate, bufferedFramesOf(quality)),
          delayFrames: delayFramesOf(quality),
        };
      }),

    read: (id, part, options) =>
      withJobFolder(deps.files.jobFolder, async (folder) => {
        const description = await find(deps, id, { folder, ...options });
        if (!description) return undefined;
        const read = part.kind === "sound" ? readSound : readSegment;
        return await read(awaited, description, { folder, part, render, ...options });
      }),
  };
}

type CachePosition = { readonly scope: CacheScope; readonly folder: string };

/** Stores a description in the cache; returns the name of its entry. */
async function keep(
  { cache }: RendererDeps,
  description: Description,
  { scope, folder }: CachePosition,
): Promise<string> {
  const key = previewKey(description, scope);
  if ((await cache.sizeOf(key)) === undefined) {
    const path = `${folder}/preview.json`;
    await Bun.write(path, JSON.stringify(description));
    await cache.put([{ key, path }]);
  }
  return basename(key);
}

const isName = (id: string) => /^[0-9a-f]{64}$/.test(id);

async function find(
  { cache }: RendererDeps,
  id: string,
  { folder, projectId, workId }: ReadOptions & { readonly folder: string },
): Promise<Description | undefined> {
  const path = `${folder}/preview.json`;
  if (!isName(id) || !(await cache.linkTo(`${projectId}/${id}`, path))) return undefined;
  const { timeline, ...description }: Description = await Bun.file(path).json();
  return description.workId === workId ? { ...description, timeline: withWholeClips(timeline) } : undefined;
}

/** Serialization writes a clip that a transition shows twice: restores its identity, so that it is decoded once. */
function withWholeClips(timeline: Timeline): Timeline {
  const clips = new Map<string, Clip>();
  const wholeClip = (clip: Clip): Clip => {
    const text = JSON.stringify(clip);
    const whole = clips.get(text) ?? clip;
    clips.set(text, whole);
    return whole;
  };
  return { ...timeline, track: mapClips(timeline.track, wholeClip) };
}

type PlanOptions = { readonly quality: PreviewQuality; readonly scope: CacheScope };

async function planSegments({ cache }: RendererDeps, timeline: Timeline, { quality, scope }: PlanOptions) {
  const encoding = encodingFor(quality);
  const planned = [];
  for (const { range } of segmentFilesOf(timeline)) {
    await yieldIfBusy();
    const key = segmentKey({ timeline, range, encoding }, scope);
    planned.push({ id: segmentId(key, range.start), range, isCached: (await cache.sizeOf(key)) !== undefined });
  }
  return planned;
}

/** Identifies the content of a segment, and its time. */
const segmentId = (key: string, start: number): string => `${basename(key)}-${start}`;

type PartOptions = ReadOptions & {
  readonly folder: string;
  readonly part: PreviewPart;
  readonly render: <Result>(task: () => Promise<Result>, options: TaskOptions) => Promise<Result>;
};

async function readSegment(
  deps: RendererDeps,
  { timeline, quality }: Description,
  { part, folder, render, ...options }: PartOptions,
): Promise<Uint8Array | undefined> {
  if (part.kind === "sound") return undefined;
  const segment = segmentFilesOf(timeline).find(({ range }) => part.segment.endsWith(`-${range.start}`));
  if (!segment) return undefined;
  const scope = await scopeOf(deps, options.projectId);
  const key = segmentKey({ timeline, range: segment.range, encoding: encodingFor(quality) }, scope);
  // another version of this service or of ffmpeg would render other bytes
  if (part.segment !== segmentId(key, segment.range.start)) return undefined;
  const path = `${folder}/${segment.name}`;
  if (!(await deps.cache.linkTo(key, path))) {
    await renderMissing(deps, timeline, { folder, render, quality, ...options }, (job) => renderSegment(job, segment));
  }
  if (part.kind === "init") return await readInitialization(path);
  return await readFragment(path, { range: segment.range, rate: timeline.rate, delayFrames: delayFramesOf(quality) });
}

type MissingOptions = Required<TaskOptions> &
  Pick<PartOptions, "folder" | "render" | "projectId"> & { readonly quality: PreviewQuality };

async function renderMissing(
  deps: RendererDeps,
  timeline: Timeline,
  { render, folder, ...options }: MissingOptions,
  provide: (job: RenderJob) => Promise<void>,
): Promise<void> {
  await render(async () => {
    const job = await prepareJob(deps, [timeline], folder, options);
    await provide(job).catch(async (error) => {
      options.signal.throwIfAborted();
      throw await diagnoseFailure(error, deps.ffmpeg, job.videos[0]);
    });
  }, options);
}

async function renderSegment(job: RenderJob, segment: SegmentFile): Promise<void> {
  const { signal, quality } = job;
  const encoding = encodingFor(quality);
  await job.linkSources(visibleSourcesIn(job.videos[0].timeline, segment.range));
  const task = missingSegmentsOf(job, [segment], encoding);
  await provideEncodeTask(job, task, { signal, encoding, onProgress: () => {}, onEncoded: () => {} });
}

async function readSound(
  deps: RendererDeps,
  { timeline, sound, quality }: Description,
  { folder, render, ...options }: PartOptions,
): Promise<Uint8Array | undefined> {
  const path = soundPath(folder);
  const scope = await scopeOf(deps, options.projectId);
  if (!(await deps.cache.linkTo(`${options.projectId}/${sound}`, path))) {
    if (basename(soundKey(timeline, scope)) !== sound) return undefined;
    await renderMissing(deps, timeline, { folder, render, quality, ...options }, renderSound);
  }
  return await readFragmentedSound(path);
}

async function renderSound(job: RenderJob): Promise<void> {
  await job.linkSources();
  await provideSound(job, { signal: job.signal, reserved: undefined, onShare: () => {} });
}
