import type { Command } from "../compiler/command.ts";
import type { SegmentEncoding } from "../compiler/compile.ts";
import type { SourcePaths } from "../compiler/sources.ts";
import type { Ffmpeg } from "../ffmpeg/ffmpeg.ts";
import type { RunOptions } from "../ffmpeg/run.ts";
import type { SegmentOverlays } from "../overlays/overlays.ts";
import type { ExportProgress, Quality, RenderCache, RenderTasks, RenderTelemetry } from "../ports.ts";
import type { TaskPool } from "../sandbox/task-pool.ts";
import { type Format, formatTable, type Output } from "../timeline/format.ts";
import { cutSegments } from "../timeline/segments.ts";
import type { Source } from "../timeline/source.ts";
import { type FrameRange, toSeconds } from "../timeline/time.ts";
import type { Timeline } from "../timeline/timeline.ts";
import type { CacheScope } from "./cache-keys.ts";
import type { SourceLinks } from "./sources.ts";
import type { SingleFlight } from "./tasks/single-flight.ts";

export type Video = {
  readonly timeline: Timeline;
  /** The folder for the segments and the finished file. */
  readonly folder: string;
  readonly files: SourcePaths;
  /** The edit whose picture is decoded, in which proxies may replace sources. */
  readonly picture: { readonly timeline: Timeline; readonly files: SourcePaths };
  /** The path of an image, a font or a video of an overlay. */
  overlaySourcePath(source: Source): string;
  /** The overlays, drawn for the first uncached segment that shows them. */
  readonly overlays: SegmentOverlays;
};

/** One edit in one or more frame sizes: its videos have the same cuts and the same sound. */
export type RenderJob = {
  readonly videos: readonly [Video, ...Video[]];
  /** Links sources into the folder, by default all. Call it before commands read them. */
  readonly linkSources: SourceLinks["link"];
  readonly folder: string;
  readonly quality: Quality;
  readonly output: Output;
  /** The encoding of the segments. */
  readonly encoding: SegmentEncoding;
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: ExportProgress) => void;
  /** Runs a command when the renderer has a free process slot; all jobs share these slots. */
  readonly run: (command: Command, options: RunOptions) => ReturnType<Ffmpeg["run"]>;
  readonly canvas: TaskPool;
  /** User id. */
  readonly owner: string;
  /** The maximum number of processes of this job. */
  readonly concurrency: number;
  readonly cache: RenderCache;
  readonly scope: CacheScope;
  /** Renders each segment and sound once, however many jobs need it at the same time. */
  readonly singleFlight: SingleFlight;
  /** Set if other processes may render tasks of this job. */
  readonly sharedTasks?: RenderTasks | undefined;
  /** Jobs with fewer missing pixels per process of this machine are not shared. */
  readonly sharedFromPixels: number;
  readonly telemetry: RenderTelemetry;
};

/** A range of frames that is encoded independently, and its file name in the folder of each video. */
export type SegmentFile = { readonly range: FrameRange; readonly number: number; readonly name: string };

export const segmentFilesOf = (timeline: Timeline, format: Format = "mp4"): readonly SegmentFile[] =>
  (format === "mp4" ? cutSegments(timeline) : cutLongSegments(timeline)).map((range, number) => ({
    range,
    number,
    name: segmentName(number, format),
  }));

/** Each segment of these formats has a process of its own: shorter ones would start and seek too often. */
const longSegmentSeconds = 2;

function cutLongSegments(timeline: Timeline): readonly FrameRange[] {
  const long: FrameRange[] = [];
  for (const { start, end } of cutSegments(timeline)) {
    const last = long.at(-1);
    const goesOn = last && toSeconds(end - last.start, timeline.rate) <= longSegmentSeconds;
    if (goesOn) long[long.length - 1] = { start: last.start, end };
    else long.push({ start, end });
  }
  return long;
}

/** `number` may be a pattern. */
export const segmentName = (number: number | "%d", format: Format): string =>
  `segment-${number}.${formatTable[format].extension}`;

export type SegmentOutput = {
  readonly segment: SegmentFile;
  readonly video: Video;
  readonly key: string;
  readonly path: string;
};
