import type { Timeline } from "../timeline/timeline.ts";
import type { Quality } from "./export-schema.ts";

/** A finished film on the disk; `dispose` removes it with all that was made on the way. */
export type RenderedFilm = {
  readonly path: string;
  readonly sizeBytes: number;
  dispose(): Promise<void>;
};

export type Renderer = {
  /** Renders a whole timeline to one MP4. Aborting stops every process and leaves no file. */
  render(
    timeline: Timeline,
    options: {
      readonly quality: Quality;
      readonly signal: AbortSignal;
      readonly onProgress?: (framesDone: number) => void;
    },
  ): Promise<RenderedFilm>;
};
