import type { ClipEffects } from "./clip-effects.ts";
import type { Focus } from "./focus.ts";
import type { Keyframe } from "./motion.ts";
import type { Source } from "./source.ts";
import type { FrameRange } from "./time.ts";

/** The kinds that designs of films choose from. */
export const plainTransitionKinds = [
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

export type PlainTransitionKind = (typeof plainTransitionKinds)[number];

export const transitionKinds = [
  ...plainTransitionKinds,
  "push-left",
  "push-right",
  "push-up",
  "push-down",
  "zoom",
  "spin",
  "blur",
  "circle-close",
  "diagonal",
  "blinds",
  "luma",
  "flash",
] as const;

export type TransitionKind = (typeof transitionKinds)[number];

/** Shows the whole source between black bars, crops it to the canvas, or fills the bars with the blurred source. */
export const clipFits = ["contain", "cover", "blur"] as const;

/** One use of a source on the track. */
export type Clip = {
  readonly source: Source;
  /** Frames of the timeline; at least one. */
  readonly range: FrameRange;
  /** The start of the clip on the source's own clock. */
  readonly sourceStartSeconds: number;
  /** 0.1 to 10; as keyframes in seconds from the clip's start, where 0 is a freeze. Default: 1. */
  readonly speed?: number | readonly Keyframe<number>[] | undefined;
  /** Plays the part that it would play forwards from its end to its start. */
  readonly reverses?: boolean | undefined;
  /** 0..4 */
  readonly volume: number;
  readonly fit: (typeof clipFits)[number];
  /** The part that stays visible, for `cover`. A track only for videos. Default: the center. */
  readonly focus?: Focus | undefined;
  readonly effects?: ClipEffects | undefined;
  /** Factors of the volume, in seconds from the clip's start. */
  readonly gains?: readonly Keyframe<number>[] | undefined;
  /** The transition to the next clip, and its maximum duration. */
  readonly transition: {
    readonly kind: TransitionKind;
    readonly frames: number;
    /** The picture of `luma`: the next clip appears first where it is dark. */
    readonly luma?: Source | undefined;
  };
};

/** True if the clip does not play its source forwards at its own speed. An image has no speed. */
export const isPaced = ({
  source,
  speed = 1,
  reverses = false,
}: Pick<Clip, "source" | "speed" | "reverses">): boolean => source.facts.kind !== "image" && (speed !== 1 || reverses);

/** The content of a range of frames: nothing, a clip, or a part of a transition between two clips. */
export type Span =
  | { readonly kind: "gap"; readonly range: FrameRange }
  | { readonly kind: "clip"; readonly range: FrameRange; readonly clip: Clip }
  | {
      readonly kind: "transition";
      readonly range: FrameRange;
      readonly transition: Exclude<TransitionKind, "cut">;
      /** All frames of the transition. `range` is a part of them if another clip covers the rest. */
      readonly whole: FrameRange;
      /** The leaving clip. It continues past its end, or holds its last frame if the source ends. */
      readonly from: Clip;
      readonly to: Clip;
    };

/** The picture of a transition of the kind `luma`. */
export const lumaOf = (span: Span): Source | undefined =>
  span.kind === "transition" && span.transition === "luma" ? span.from.transition.luma : undefined;

export const clipsOf = (span: Span): readonly Clip[] => {
  if (span.kind === "gap") return [];
  return span.kind === "clip" ? [span.clip] : [span.from, span.to];
};

/** Spans that cover every frame from 0 to `frames`, in order. */
export type Track = { readonly frames: number; readonly spans: readonly Span[] };

/** Maps each clip once, even if several spans show it. */
export function mapClips(track: Track, map: (clip: Clip) => Clip): Track {
  const mapped = new Map([...new Set(track.spans.flatMap(clipsOf))].map((clip) => [clip, map(clip)]));
  const spans = track.spans.map((span): Span => {
    if (span.kind === "gap") return span;
    // safe because every clip of every span is in the map
    if (span.kind === "clip") return { ...span, clip: mapped.get(span.clip)! };
    return { ...span, from: mapped.get(span.from)!, to: mapped.get(span.to)! };
  });
  return { ...track, spans };
}
