import type { Source } from "../../../engine/timeline/source.ts";
import type { Timeline } from "../../../engine/timeline/timeline.ts";
import type { Signer } from "../../provenance/signer.ts";
import type { Engine, Statement } from "../../provenance/statement.ts";
import type { ExportProgress } from "../lifecycle/jobs.ts";
import type { RenderTasks } from "../lifecycle/render-tasks.ts";
import type { Quality } from "./schema.ts";

/** A finished video on disk. */
type RenderedVideo = { readonly path: string; readonly sizeBytes: number };

/** In the order of their timelines; `dispose` removes them and all intermediate files. */
export type RenderedVideos = { readonly videos: readonly RenderedVideo[]; dispose(): Promise<void> };

/** `path` is the file of an entry. */
type CachedPart = { readonly key: string; readonly path: string };

/** Rendered parts (segments, sounds, frames). A key is `<project id>/<hash of everything that determines the bytes>`. */
export type RenderCache = {
  /** The size of an entry; undefined if there is none. Does not verify its bytes. */
  sizeOf(key: string): Promise<number | undefined>;
  /** Those of the keys, all of one project, that may have entries: the others have none. */
  find(keys: readonly string[]): Promise<ReadonlySet<string>>;
  /** Hard-links an entry to `path`, which must not exist yet. False if there is none or it is damaged. */
  linkTo(key: string, path: string): Promise<boolean>;
  /** Adds finished files if there is room. They must not change afterwards. */
  put(parts: readonly CachedPart[]): Promise<void>;
  /** The ids of projects that may have entries. */
  listProjects(): Promise<readonly string[]>;
  removeProject(projectId: string): Promise<void>;
};

/** The segments and sound that a render would use, over all videos. */
export type RenderPlan = {
  readonly segments: readonly {
    readonly frames: number;
    /** Over all its frames. */
    readonly pixels: number;
    /** Size of the cached segment; undefined if it must be rendered. */
    readonly cachedBytes?: number | undefined;
  }[];
  /** Size of the cached sound, which all videos share; undefined if it must be rendered. */
  readonly soundBytes?: number | undefined;
};

export type RenderOptions = {
  readonly quality: Quality;
  /** User id. */
  readonly owner: string;
  /** Parts are never shared between projects: the speed of an export would reveal what other users have rendered. */
  readonly projectId: string;
  /** Of a film of a table: it leaves the processor to exports that somebody waits for. */
  readonly isBatch?: boolean;
};

export type Renderer = {
  /** What determines the bytes of videos besides their requests and files. */
  engine(): Promise<Engine>;
  /** The plan of `render`, found without drawing or rendering anything. */
  plan(timelines: readonly Timeline[], options: RenderOptions): Promise<RenderPlan>;
  /**
   * Renders one MP4 per timeline. The timelines are one edit in several frame sizes: same cuts, same sound.
   * Progress counts the frames of all videos. Aborting stops every process and leaves no file.
   */
  render(
    timelines: readonly Timeline[],
    options: RenderOptions & {
      readonly signal: AbortSignal;
      readonly onProgress?: (progress: ExportProgress) => void;
      /** Set if the videos are to carry what they were made from, and who says so. */
      readonly provenance?:
        | {
            readonly statement: Statement;
            readonly signer: Signer;
            /** Files whose own manifests the video's manifest carries. */
            readonly signedFiles: readonly Source[];
          }
        | undefined;
      /** Set if other processes can render for this one. If much is missing, its runs are offered to them. */
      readonly sharedTasks?: RenderTasks | undefined;
    },
  ): Promise<RenderedVideos>;
  /** Until none is left. Throws if this process would render other bytes, or if a run fails. */
  renderTasks(
    timelines: readonly Timeline[],
    options: RenderOptions & {
      readonly signal: AbortSignal;
      readonly sharedTasks: Pick<RenderTasks, "claim" | "finish">;
    },
  ): Promise<void>;
};
