import type { MediaFacts } from "../../timeline/source.ts";

export const tempos = ["fast", "medium", "slow"] as const;
export type Tempo = (typeof tempos)[number];

export type SceneMetrics = {
  /** Seconds on the film's own timeline; scenes follow each other without gaps from 0 to the film's end. */
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** Up to five, as `#rrggbb`, the most common first. */
  readonly palette: readonly string[];
  /** How much changes from picture to picture: 0 for a still, 1 for wild movement. */
  readonly motion: number;
  /** Mean luma, 0..1. */
  readonly brightness: number;
};

/** What can be said of a film without understanding it. */
export type VideoMetrics = {
  readonly durationSeconds: number;
  readonly scenes: readonly SceneMetrics[];
  readonly palette: readonly string[];
  readonly tempo: Tempo;
  readonly motion: number;
  readonly hasSound: boolean;
};

/** A picture for a model to look at: JPEG, or what it was when the provider takes that. */
export type VideoFrame = { readonly atSeconds: number; readonly bytes: Uint8Array; readonly mimeType: string };

/** Looks at films and pictures without understanding them. */
export type VideoAnalyzer = {
  /** One decode of small pictures, in bounded time. */
  measure(path: string, facts: MediaFacts, signal: AbortSignal): Promise<VideoMetrics>;
  /** JPEG pictures at these times, no side longer than `maxSide` pixels. */
  frames(
    path: string,
    facts: MediaFacts,
    options: { readonly atSeconds: readonly number[]; readonly maxSide: number; readonly signal: AbortSignal },
  ): Promise<readonly VideoFrame[]>;
  /** An image in one of these types, as it is where it has one of them already, else converted to JPEG or PNG. */
  image(path: string, facts: MediaFacts, mimeTypes: readonly string[]): Promise<Omit<VideoFrame, "atSeconds">>;
};
