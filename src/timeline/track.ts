import type { Source } from "./source.ts";
import type { FrameRange } from "./time.ts";

export const transitionKinds = [
  "cut",
  "fade",
  "dissolve",
  "wipeleft",
  "wiperight",
  "wipeup",
  "wipedown",
  "slideleft",
  "slideright",
  "slideup",
  "slidedown",
  "circleopen",
  "fadeblack",
  "fadewhite",
] as const;

export type TransitionKind = (typeof transitionKinds)[number];

/** One use of a source on the track. */
export type Clip = {
  readonly source: Source;
  /** On the timeline; at least one frame. */
  readonly range: FrameRange;
  /** Where in the source the clip begins, in seconds of the source's own clock. */
  readonly sourceStartSeconds: number;
  /** 0..4, of its sound. */
  readonly volume: number;
  readonly fit: "contain" | "cover" | "blur";
  /** How this clip goes over to the next one, and for how many frames at most. */
  readonly transition: { readonly kind: TransitionKind; readonly frames: number };
};

/** What is seen on some frames: nothing, a clip, or a part of a transition between two. */
export type Span =
  | { readonly kind: "gap"; readonly range: FrameRange }
  | { readonly kind: "clip"; readonly range: FrameRange; readonly clip: Clip }
  | {
      readonly kind: "transition";
      readonly range: FrameRange;
      readonly transition: Exclude<TransitionKind, "cut">;
      /** All frames of the transition; `range` is a part of it when another clip covers the rest. */
      readonly whole: FrameRange;
      /** Leaves. Its own source goes on past its end, or its last picture holds. */
      readonly from: Clip;
      readonly to: Clip;
    };

/** Spans that cover every frame from 0 to `frames`, in order, without holes. */
export type Track = { readonly frames: number; readonly spans: readonly Span[] };
