import { framesIn, intersection, isInside } from "./time.ts";
import type { Clip, Span, Track } from "./track.ts";

type TrackLayout = {
  readonly track: Track;
  /** Clips whose transition has no adjacent next clip. */
  readonly ignoredTransitions: readonly { readonly clip: Clip; readonly reason: "gap" }[];
};

/** A clip or transition that is painted over all layers before it. */
type Layer = Exclude<Span, { kind: "gap" }>;

/**
 * Assigns a clip, a transition or a gap to each frame. If two clips overlap, the clip that starts later is on top. A
 * clip that lies wholly inside another is on top without transitions.
 */
export function layOutClips(clips: readonly Clip[]): TrackLayout {
  const inPaintOrder = clips.toSorted((a, b) => a.range.start - b.range.start || b.range.end - a.range.end);
  const uncovered = inPaintOrder.filter((clip) => !inPaintOrder.some((other) => covers(other, clip, inPaintOrder)));
  const transitions = transitionsOf(uncovered);
  const layers = inPaintOrder.flatMap((clip): Layer[] => [
    { kind: "clip", range: clip.range, clip },
    ...transitions.filter(({ to }) => to === clip),
  ]);
  return {
    track: { frames: Math.max(0, ...clips.map(({ range }) => range.end)), spans: flatten(layers) },
    ignoredTransitions: uncovered.filter(isFollowedByGap).map((clip) => ({ clip, reason: "gap" as const })),
  };
}

/** The track cut off or continued by a gap, if a length is named. */
export function withLength({ frames, spans }: Track, length = frames): Track {
  const whole = { start: 0, end: length };
  const cut = spans.flatMap((span) => {
    const range = intersection(span.range, whole);
    return range ? [{ ...span, range }] : [];
  });
  const rest: readonly Span[] = length > frames ? [{ kind: "gap", range: { start: frames, end: length } }] : [];
  return { frames: length, spans: [...cut, ...rest] };
}

/** True if `outer` fully covers `inner`. For equal ranges the later clip covers the other. */
function covers(outer: Clip, inner: Clip, inPaintOrder: readonly Clip[]): boolean {
  if (outer.range.start > inner.range.start || outer.range.end < inner.range.end) return false;
  const areEqual = framesIn(outer.range) === framesIn(inner.range);
  return areEqual ? inPaintOrder.indexOf(outer) > inPaintOrder.indexOf(inner) : true;
}

const isFollowedByGap = (clip: Clip, index: number, uncovered: readonly Clip[]): boolean => {
  const next = uncovered[index + 1];
  return next !== undefined && clip.transition.kind !== "cut" && next.range.start > clip.range.end;
};

type Transition = Extract<Span, { kind: "transition" }>;

function transitionsOf(uncovered: readonly Clip[]): readonly Transition[] {
  return uncovered.flatMap((from, index) => {
    const to = uncovered[index + 1];
    const { kind } = from.transition;
    if (!to || kind === "cut" || to.range.start > from.range.end) return [];

    const { start } = to.range;
    const whole = {
      start,
      end: Math.min(start + transitionFrames(from, to), uncovered[index + 2]?.range.start ?? Infinity),
    };
    return whole.end > start ? [{ kind: "transition", range: whole, transition: kind, whole, from, to }] : [];
  });
}

function transitionFrames(from: Clip, to: Clip): number {
  const overlap = from.range.end - to.range.start;
  return overlap > 0 ? overlap : Math.min(from.transition.frames, framesIn(from.range), framesIn(to.range));
}

/** The topmost layer of each frame, from frame 0. */
function flatten(layers: readonly Layer[]): readonly Span[] {
  const edges = [0, ...layers.flatMap(({ range }) => [range.start, range.end])];
  const starts = [...new Set(edges)].sort((a, b) => a - b);
  const spans: Span[] = [];
  for (const [index, start] of starts.slice(0, -1).entries()) {
    const range = { start, end: starts[index + 1]! };
    const top = layers.findLast((layer) => isInside(start, layer.range));
    const span: Span = top ? { ...top, range } : { kind: "gap", range };
    const previous = spans.at(-1);
    if (previous && isSameSpan(previous, span)) spans[spans.length - 1] = mergeSpans(previous, span);
    else spans.push(span);
  }
  return spans;
}

/** True if two adjacent spans show the same clip, transition or gap. */
const isSameSpan = (a: Span, b: Span): boolean => {
  if (a.kind === "clip" && b.kind === "clip") return a.clip === b.clip;
  if (a.kind === "transition" && b.kind === "transition") return a.whole === b.whole;
  return a.kind === "gap" && b.kind === "gap";
};

const mergeSpans = (a: Span, b: Span): Span => ({ ...a, range: { start: a.range.start, end: b.range.end } });
