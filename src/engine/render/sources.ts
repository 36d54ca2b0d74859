import { DomainError, isDomainError } from "../../errors.ts";
import { oncePer } from "../../platform/async.ts";
import {
  DamagedFileError,
  diskFullError,
  ifMissing,
  isDiskFullMessage,
  isLost,
  isMissing,
  mapDiskFull,
} from "../../platform/files.ts";
import type { TaskOptions } from "../../platform/limits/concurrency-limit.ts";
import type { SourcePaths } from "../compiler/sources.ts";
import type { Ffmpeg } from "../ffmpeg/ffmpeg.ts";
import { requireWorking } from "../ffmpeg/health.ts";
import { FfmpegError } from "../ffmpeg/run.ts";
import { decodesCompletely } from "../inspect/sample.ts";
import { requireBoundedEdits } from "../mp4/bounds.ts";
import { type FileStore, type RenderCache, referenceTo } from "../ports.ts";
import { SandboxTaskError } from "../sandbox/failures.ts";
import type { TaskPool } from "../sandbox/task-pool.ts";
import { sourcesOfLayer } from "../timeline/overlay-sources.ts";
import type { Source } from "../timeline/source.ts";
import { atTimes, type FrameRange, intersection, sampleClock, toSeconds } from "../timeline/time.ts";
import type { Timeline } from "../timeline/timeline.ts";
import { clipsOf, lumaOf, type Span } from "../timeline/track.ts";
import { type CacheScope, preparedImageKey } from "./cache-keys.ts";

/** Images keep up to this multiple of the canvas size, for zooms. */
const imageOversize = 2;
const maxImageSide = 6144;

/** Every file that the track and the sound use, once. */
function sourcesOf({ track, sound }: Timeline): readonly Source[] {
  const visible = track.spans.flatMap(sourcesOfSpan);
  const { pieces, voices = [], music, added = [] } = sound;
  const audible = [...pieces, ...voices, ...(music ? [music] : []), ...added].map(({ source }) => source);
  return uniqueByFile([...visible, ...audible]);
}

const sourcesOfSpan = (span: Span): readonly Source[] => [
  ...clipsOf(span).map(({ source }) => source),
  ...(lumaOf(span) ? [lumaOf(span)!] : []),
];

const uniqueByFile = (sources: readonly Source[]): readonly Source[] => [
  ...new Map(sources.map((source) => [source.file, source])).values(),
];

/** The files that the track uses in a range, once. */
export const visibleSourcesIn = ({ track }: Timeline, range: FrameRange): readonly Source[] =>
  uniqueByFile(track.spans.filter((span) => intersection(span.range, range)).flatMap(sourcesOfSpan));

/** The sources of several versions of one edit. */
export type SourceLinks = {
  /** Where each version reads its sources once they are linked. */
  readonly paths: readonly SourcePaths[];
  /** Links some sources, by default all; each only once. */
  link(sources?: readonly Source[]): Promise<void>;
};

/** Links all sources of several versions of one edit. */
export async function linkSources(
  timelines: readonly Timeline[],
  files: FileStore,
  folder: string,
  materializeImage: MaterializeImage,
): Promise<readonly SourcePaths[]> {
  const { paths, link } = sourceLinks(timelines, files, folder, materializeImage);
  await link();
  return paths;
}

/**
 * Links sources of several versions of one edit into the job's folder, so that files deleted in the meantime stay until
 * the job ends. Images are converted instead, once per size that a canvas needs.
 */
export function sourceLinks(
  timelines: readonly Timeline[],
  files: FileStore,
  folder: string,
  materializeImage: MaterializeImage,
): SourceLinks {
  const sources = uniqueByFile(timelines.flatMap(sourcesOf));
  const numbers = new Map(sources.map(({ file }, number) => [file, number]));
  const pathOf = (source: Source, maxSide: number) =>
    `${folder}/source-${numbers.get(source.file)}${isImage(source) ? `-${maxSide}` : ""}`;
  const imageSides = new Set(timelines.map(imageSideFor));
  const unreadable = unreadableIn(timelines);
  const linkOnce = oncePer(
    ({ file }: Source) => file,
    async (source) => {
      if (!isImage(source)) return await linkFile(source, files, pathOf(source, 0), unreadable);
      for (const maxSide of imageSides) {
        const image = { path: pathOf(source, maxSide), maxSide };
        await materializeStored(source, files, image, materializeImage).catch((error) => {
          throw isOfImage(error) ? unreadable(source, error) : error;
        });
      }
    },
  );

  return {
    paths: timelines.map((timeline) => ({ pathOf: (source) => pathOf(source, imageSideFor(timeline)) })),
    async link(wanted = sources) {
      for (const source of wanted) await linkOnce(source);
    },
  };
}

const isImage = ({ facts }: Source): boolean => facts.kind === "image";

const imageSideFor = ({ canvas: { width, height } }: Timeline): number =>
  Math.min(Math.max(width, height) * imageOversize, maxImageSide);

async function linkFile(source: Source, files: FileStore, path: string, unreadable: Unreadable): Promise<void> {
  await files.linkTo(referenceTo(source), path).catch((error) => {
    throw isMissing(error) ? unreadable(source, error) : error;
  });
  // a symbolic link may lead nowhere
  if (!(await Bun.file(path).exists())) throw unreadable(source, new DamagedFileError("The file is gone."));
  if (source.facts.container === "mp4") requireRenderable(source, path, unreadable);
}

/** Throws source_unreadable for a file that is no longer accepted, but was stored before. */
function requireRenderable(source: Source, path: string, unreadable: Unreadable): void {
  try {
    requireBoundedEdits(path);
  } catch (error) {
    throw isDomainError(error) ? unreadable(source, error) : error;
  }
}

const overlaySourcesOf = ({ overlays }: Timeline): readonly Source[] => overlays.flatMap(sourcesOfLayer);

/**
 * Links the images and fonts of overlays into the job's folder, because bitmaps are drawn later, at the first missing
 * segment. Returns the path of each source; that of a missing file does not exist.
 */
export async function linkOverlaySources(timelines: readonly Timeline[], files: FileStore, folder: string) {
  const paths = new Map<string, string>();
  for (const [number, source] of uniqueByFile(timelines.flatMap(overlaySourcesOf)).entries()) {
    const path = `${folder}/overlay-source-${number}`;
    // whether a missing one matters shows when the overlay is drawn
    await files.linkTo(referenceTo(source), path).catch(ifMissing(undefined));
    paths.set(source.file, path);
  }
  // safe because the overlays of these timelines have no other sources
  return ({ file }: Source): string => paths.get(file)!;
}

type PreparedImage = { readonly path: string; readonly maxSide: number };

/** Converts a stored image (`from`) to the size that a canvas needs. */
type MaterializeImage = (source: Source, from: string, image: PreparedImage) => Promise<void>;

export const materializeWith =
  (canvas: TaskPool, options: TaskOptions): MaterializeImage =>
  async ({ facts }, from, { path, maxSide }) => {
    await canvas.run("prepareImage", { path: from, facts, maxSide, output: path }, options);
  };

type CachedImages = TaskOptions & { readonly cache: RenderCache; readonly scope: CacheScope };

/** Caches prepared images, because preparing a large photo takes longer than to draw a frame. */
export const materializeCached =
  (canvas: TaskPool, { cache, scope, ...options }: CachedImages): MaterializeImage =>
  async (source, from, image) => {
    const key = preparedImageKey(source.hash, image.maxSide, scope);
    if (await cache.linkTo(key, image.path)) return;
    await materializeWith(canvas, options)(source, from, image);
    await cache.put([{ key, path: image.path }]);
  };

const materializeStored = (
  source: Source,
  files: FileStore,
  image: PreparedImage,
  materializeImage: MaterializeImage,
): Promise<void> =>
  mapDiskFull(files.withLocalFile(referenceTo(source), (from) => materializeImage(source, from, image)));

/** False for errors that say nothing about the image. */
function isOfImage(error: unknown): boolean {
  if (isDomainError(error)) return error.code === "source_unreadable";
  return error instanceof SandboxTaskError || isMissing(error);
}

type DiagnosisInput = {
  readonly timeline: Timeline;
  readonly files: SourcePaths;
  readonly folder: string;
  overlaySourcePath(source: Source): string;
};

/**
 * A full disk, busy if ffmpeg renders nothing any more, a source that does not decode alone, or the failure. Every
 * failure that has no explanation asks ffmpeg: one that reads what a broken ffmpeg has written fails, too.
 */
export async function diagnoseFailure(
  error: unknown,
  ffmpeg: Ffmpeg,
  { timeline, files, folder, overlaySourcePath }: DiagnosisInput,
): Promise<unknown> {
  if (isDomainError(error)) return error;
  if (error instanceof FfmpegError && isDiskFullMessage(error.stderrTail)) return diskFullError(error);
  const broken = await requireWorking(ffmpeg, error).catch((busy: unknown) => busy);
  if (broken || !(error instanceof FfmpegError)) return broken ?? error;
  const layers = overlaySourcesOf(timeline).filter(({ facts }) => facts.kind === "video");
  const decoded = [
    ...sourcesOf(timeline)
      .filter((source) => !isImage(source))
      .map((source) => ({ source, path: files.pathOf(source) })),
    ...uniqueByFile(layers).map((source) => ({ source, path: overlaySourcePath(source) })),
  ];
  for (const { source, path } of decoded) {
    const input = { path, facts: source.facts, folder };
    if (!(await decodesCompletely(ffmpeg, input))) return unreadableIn([timeline])(source, error);
  }
  return error;
}

type Unreadable = (source: Source, cause: unknown) => DomainError<"source_unreadable">;

/** Says where these edits use the source first: an export's sources have no names. */
const unreadableIn =
  (timelines: readonly Timeline[]): Unreadable =>
  (source, cause) => {
    const { kind } = source.facts;
    const what = `The export's ${kind}${timelines.map((timeline) => timesOf(source, timeline)).find(Boolean) ?? ""}`;
    const isOfLayer = timelines.every((timeline) => !sourcesOf(timeline).some(({ file }) => file === source.file));
    const path = isOfLayer && kind === "video" ? "layers" : requestFields[kind];
    const facts = { path, what, ...(isLost(cause) && { isDamaged: true }) };
    return new DomainError("source_unreadable", facts, { cause });
  };

/** Empty for music, and for what the edit does not use. */
function timesOf({ file }: Source, { track, sound, rate, overlays }: Timeline): string {
  const uses = [...track.spans.flatMap(clipsOf), ...(sound.voices ?? []), ...sound.pieces];
  const isUse = ({ source }: { readonly source: Source }) => source.file === file;
  const layer = overlays.find((overlay) => sourcesOfLayer(overlay).some((source) => source.file === file));
  const range = uses.find(isUse)?.range ?? layer?.range;
  const added = range ? undefined : sound.added?.find(isUse)?.range;
  const [found, clock] = added ? [added, sampleClock] : [range, rate];
  return atTimes(found && { position: toSeconds(found.start, clock), end: toSeconds(found.end, clock) });
}

/** The field of an export request that names files of a kind. */
const requestFields = { video: "clips", image: "clips", audio: "audio", font: "texts" } as const;
