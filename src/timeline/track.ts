import type { Source } from "./source.ts";
import { type FrameRange, framesIn, isInside } from "./time.ts";

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

/** All of the picture between black bars, no part of the canvas left free, or bars filled with a blurred picture. */
export const clipFits = ["contain", "cover", "blur"] as const;

/** One use of a source on the track. */
export type Clip = {
  readonly source: Source;
  /** On the timeline; at least one frame. */
  readonly range: FrameRange;
  /** Where in the source the clip begins, in seconds of the source's own clock. */
  readonly sourceStartSeconds: number;
  /** 0..4, of its sound. */
  readonly volume: number;
  readonly fit: (typeof clipFits)[number];
  /** For `cover`: what is seen for sure, as shares of the picture's sides. Absent: its middle. */
  readonly focus?: { readonly x: number; readonly y: number } | undefined;
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

/** The clips that a span shows. */
export const clipsOf = (span: Span): readonly Clip[] => {
  if (span.kind === "gap") return [];
  return span.kind === "clip" ? [span.clip] : [span.from, span.to];
};

/** Spans that cover every frame from 0 to `frames`, in order, without holes. */
export type Track = { readonly frames: number; readonly spans: readonly Span[] };

/** The same track with other clips in place of its own; one clip stays one, however many spans show it. */
export function mapClips(track: Track, change: (clip: Clip) => Clip): Track {
  const changed = new Map([...new Set(track.spans.flatMap(clipsOf))].map((clip) => [clip, change(clip)]));
  const spans = track.spans.map((span): Span => {
    if (span.kind === "gap") return span;
    // safe because every clip of every span is in the map
    if (span.kind === "clip") return { ...span, clip: changed.get(span.clip)! };
    return { ...span, from: changed.get(span.from)!, to: changed.get(span.to)! };
  });
  return { ...track, spans };
}

export type LaidTrack = {
  readonly track: Track;
  /** Clips whose transition has no next clip to go over to. */
  readonly ignored: readonly { readonly clip: Clip; readonly reason: "gap" }[];
};

/** What is painted on the frames of `range`, over all that was painted before. */
type Coat = Exclude<Span, { kind: "gap" }>;

/**
 * Lays clips out as what is seen on each frame. Of two clips that overlap the later start lies on top;
 * a clip wholly inside another lies on it without a transition.
 */
export function layTrack(clips: readonly Clip[]): LaidTrack {
  const painted = clips.toSorted((a, b) => a.range.start - b.range.start || b.range.end - a.range.end);
  const chain = painted.filter((clip) => !painted.some((other) => holds(other, clip, painted)));
  const transitions = transitionsOf(chain);
  const coats = painted.flatMap((clip): Coat[] => {
    const whole: Coat = { kind: "clip", range: clip.range, clip };
    return [whole, ...transitions.filter(({ to }) => to === clip)];
  });
  return {
    track: { frames: Math.max(0, ...clips.map(({ range }) => range.end)), spans: topOf(coats) },
    ignored: chain.filter(missesNext).map((clip) => ({ clip, reason: "gap" as const })),
  };
}

/** Of two clips on the same frames only the upper one is ever seen, so that one holds the other. */
function holds(outer: Clip, inner: Clip, painted: readonly Clip[]): boolean {
  if (outer.range.start > inner.range.start || outer.range.end < inner.range.end) return false;
  const areEqual = framesIn(outer.range) === framesIn(inner.range);
  return areEqual ? painted.indexOf(outer) > painted.indexOf(inner) : true;
}

const missesNext = (clip: Clip, index: number, chain: readonly Clip[]): boolean => {
  const next = chain[index + 1];
  return next !== undefined && clip.transition.kind !== "cut" && next.range.start > clip.range.end;
};

type Transition = Extract<Span, { kind: "transition" }>;

function transitionsOf(chain: readonly Clip[]): readonly Transition[] {
  return chain.flatMap((from, index) => {
    const to = chain[index + 1];
    const { kind } = from.transition;
    if (!to || kind === "cut" || to.range.start > from.range.end) return [];

    const { start } = to.range;
    const whole = {
      start,
      end: Math.min(start + transitionFrames(from, to), chain[index + 2]?.range.start ?? Infinity),
    };
    return whole.end > start ? [{ kind: "transition", range: whole, transition: kind, whole, from, to }] : [];
  });
}

function transitionFrames(from: Clip, to: Clip): number {
  const overlap = from.range.end - to.range.start;
  return overlap > 0 ? overlap : Math.min(from.transition.frames, framesIn(from.range), framesIn(to.range));
}

/** What lies on top of all coats, from frame 0 on. */
function topOf(coats: readonly Coat[]): readonly Span[] {
  const frames = [0, ...coats.flatMap(({ range }) => [range.start, range.end])];
  const marks = [...new Set(frames)].sort((a, b) => a - b);
  const spans: Span[] = [];
  for (const [index, start] of marks.slice(0, -1).entries()) {
    const range = { start, end: marks[index + 1]! };
    const top = coats.findLast((coat) => isInside(start, coat.range));
    const span: Span = top ? { ...top, range } : { kind: "gap", range };
    const before = spans.at(-1);
    if (before && isSame(before, span)) spans[spans.length - 1] = joined(before, span);
    else spans.push(span);
  }
  return spans;
}

const isSame = (a: Span, b: Span): boolean => {
  if (a.kind === "clip" && b.kind === "clip") return a.clip === b.clip;
  if (a.kind === "transition" && b.kind === "transition") return a.whole === b.whole;
  return a.kind === "gap" && b.kind === "gap";
};

const joined = (a: Span, b: Span): Span => ({ ...a, range: { start: a.range.start, end: b.range.end } });
