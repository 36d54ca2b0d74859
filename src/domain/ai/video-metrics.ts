import type { TaskOptions } from "../../platform/task-options.ts";
import type { MediaFacts } from "../../engine/timeline/source.ts";
import type { ImageConverter } from "../files/file-store.ts";

export const tempos = ["fast", "medium", "slow"] as const;
export type Tempo = (typeof tempos)[number];

export type MeasuredTransition = "cut" | "fade";

export type SceneMetrics = {
  /** Seconds on the video's timeline. Scenes cover it from 0 to its end without gaps. */
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** Up to five colors as `#rrggbb`, the most common first. */
  readonly palette: readonly string[];
  /** Mean change from frame to frame: 0 for a still, 1 for the strongest movement. */
  readonly motion: number;
  /** Mean luma, 0..1. */
  readonly brightness: number;
  /** To the next scene; absent for the last one. A fade goes through black. */
  readonly transition?: MeasuredTransition;
};

/** What is measured in a video's frames without a model. */
export type VideoMetrics = {
  readonly durationSeconds: number;
  readonly scenes: readonly SceneMetrics[];
  readonly palette: readonly string[];
  readonly tempo: Tempo;
  readonly motion: number;
  readonly hasSound: boolean;
};

/** An image for a vision model: JPEG, or the source's own type if the provider accepts it. */
export type VideoFrame = { readonly atSeconds: number; readonly bytes: Uint8Array; readonly mimeType: string };

/** Measures videos and images, and extracts frames for vision models. */
export type VideoAnalyzer = ImageConverter & {
  /** Decodes the file once, at a small size and in bounded time. */
  measure(path: string, facts: MediaFacts, options: Required<TaskOptions>): Promise<VideoMetrics>;
  /** JPEG frames at these times, no side longer than `maxSide` pixels. */
  frames(
    path: string,
    facts: MediaFacts,
    options: Required<TaskOptions> & { readonly atSeconds: readonly number[]; readonly maxSide: number },
  ): Promise<readonly VideoFrame[]>;
};
