import type { Timeline } from "../../timeline/timeline.ts";
import type { ExportProgress } from "./jobs.ts";
import type { Quality } from "./schema.ts";

/** A finished film on the disk. */
export type RenderedVideo = { readonly path: string; readonly sizeBytes: number };

/** In the order of their timelines; `dispose` removes them with all that was made on the way. */
export type RenderedVideos = { readonly videos: readonly RenderedVideo[]; dispose(): Promise<void> };

/** Rendered parts of films under the keys of everything that decides their bytes. */
export type RenderCache = {
  /** How large the part is; undefined when there is none. Looks at no byte of it. */
  sizeOf(key: string): Promise<number | undefined>;
  /** The bytes of a small part; undefined when there is none, or it is damaged. */
  read(key: string): Promise<Uint8Array | undefined>;
  /** Puts the part at `path`, where nothing is yet; false when there is none, or it is damaged. */
  take(key: string, path: string): Promise<boolean>;
  /** Keeps a finished file, as long as there is room. It may not change any more. */
  put(key: string, path: string): Promise<void>;
};

/** What films would be put together from, one film after the other. */
export type RenderPlan = {
  readonly segments: readonly {
    readonly frames: number;
    /** Of all its frames. */
    readonly pixels: number;
    /** The size of one that is there already. */
    readonly keptBytes?: number | undefined;
  }[];
  /** The size of the sound of each, when it is there already. */
  readonly soundBytes?: number | undefined;
};

type FilmOptions = {
  readonly quality: Quality;
  /** Whose film it is: parts are shared between films of one owner only, for speed tells what is there already. */
  readonly owner: string;
};

export type Renderer = {
  /** What `render` would do, found without drawing or rendering anything. */
  plan(timelines: readonly Timeline[], options: FilmOptions): Promise<RenderPlan>;
  /**
   * Renders one edit to an MP4 for each of its frames' shapes: the timelines differ in what is seen, and not in when.
   * Progress counts the frames of all. Aborting stops every process and leaves no file.
   */
  render(
    timelines: readonly Timeline[],
    options: FilmOptions & {
      readonly signal: AbortSignal;
      readonly onProgress?: (progress: ExportProgress) => void;
    },
  ): Promise<RenderedVideos>;
};
