import type { Command } from "../compiler/command.ts";
import type { SourcePaths } from "../compiler/sources.ts";
import type { Ffmpeg } from "../ffmpeg/ffmpeg.ts";
import type { RunOptions } from "../ffmpeg/run.ts";
import type { SegmentOverlays } from "../overlays/overlays.ts";
import type { ExportProgress, Quality, RenderCache, RenderTasks, RenderTelemetry } from "../ports.ts";
import type { TaskPool } from "../sandbox/task-pool.ts";
import type { Timeline } from "../timeline/timeline.ts";
import type { CacheScope } from "./cache-keys.ts";
import type { SourceLinks } from "./sources.ts";
import type { SingleFlight } from "./tasks/single-flight.ts";

export type Video = {
  readonly timeline: Timeline;
  /** Receives the segments and the finished file. */
  readonly folder: string;
  readonly files: SourcePaths;
  /** What is decoded for the picture: the same edit, in which proxies may stand for sources. */
  readonly picture: { readonly timeline: Timeline; readonly files: SourcePaths };
  /** Drawn for the first segment that shows them and is not cached. */
  readonly overlays: SegmentOverlays;
};

/** One edit in one or more frame sizes: its videos have the same cuts and the same sound. */
export type RenderJob = {
  readonly videos: readonly [Video, ...Video[]];
  /** Call before commands read the sources: links some into the folder, by default all. */
  readonly linkSources: SourceLinks["link"];
  readonly folder: string;
  readonly quality: Quality;
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: ExportProgress) => void;
  /** Runs a command when the renderer has a free process slot; all jobs share these slots. */
  readonly run: (command: Command, options: RunOptions) => ReturnType<Ffmpeg["run"]>;
  readonly canvas: TaskPool;
  /** User id. */
  readonly owner: string;
  /** Processes of this job at a time. */
  readonly concurrency: number;
  readonly cache: RenderCache;
  readonly scope: CacheScope;
  /** Renders each segment and sound once, whatever the number of jobs that need it now. */
  readonly singleFlight: SingleFlight;
  /** Set if other processes may render runs of this job. */
  readonly sharedTasks?: RenderTasks | undefined;
  /** Jobs with fewer missing pixels for each process of this machine are not shared. */
  readonly sharedFromPixels: number;
  readonly telemetry: RenderTelemetry;
};
