import type { Overlay } from "./overlay.ts";
import { type FrameRange, type FrameRate, framesIn, isInside } from "./time.ts";
import type { Timeline } from "./timeline.ts";
import { type Clip, isPaced, type Span, type Track } from "./track.ts";

/** Long enough to cost few bytes more than a long GOP, short enough that an edit renders little unchanged content. */
const usualSeconds = 0.5;

/** A shorter part of a clip or row of clips is no separate segment, because each segment costs a keyframe. */
const minSeconds = { ofClips: 0.5, ofRest: 0.25 };

/** A cut at an overlay costs a keyframe and an encoder, so it must save at least this much, and cuts must be rare. */
const overlayEdges = { minSavedSeconds: 1 / 3, apartSeconds: 1 };

// every clip of a segment is a decoder in memory
const maxClips = 16;

/** A frame where clips may be separated. The candidate with the lowest rank is cut first. */
type CutCandidate = { readonly frame: number; readonly rank: number };

type Edit = Pick<Timeline, "track" | "overlays" | "rate">;

/**
 * Cuts an edit into segments that can be encoded independently, in order and without gaps: where clips begin, from
 * there every half second, and where an overlay begins or ends inside a segment. Cuts depend on the content around them
 * and not on its position, so an edit moves only the cuts near it, and the other segments stay in the cache.
 */
export function cutSegments({ track, overlays, rate }: Edit): readonly FrameRange[] {
  if (track.frames === 0) return [];
  const whole = { start: 0, end: track.frames };
  const edges = edgesOf(overlays, rate);
  return splitAtStarts(whole, startsOf(track), framesOf(minSeconds.ofClips, rate))
    .flatMap((section) => splitEvenly(section, track.spans, rate))
    .flatMap((segment) => splitAtEdge(segment, edges, track.spans, rate));
}

/** The number of frames of most segments. Others hold the rest of a clip, or are cut around a transition. */
export const usualFramesOf = (rate: FrameRate): number => framesOf(usualSeconds, rate);

/** The minimum length of a segment: an encoder treats videos of single-frame GOPs differently. */
const minFrames = 2;

const framesOf = (seconds: number, { num, den }: FrameRate) => Math.max(minFrames, Math.round((seconds * num) / den));

/** Cuts at the eligible candidate with the lowest rank, and then splits both halves. */
function splitAtStarts(range: FrameRange, candidates: readonly CutCandidate[], min: number): readonly FrameRange[] {
  const inside = candidates.filter(({ frame }) => frame > range.start && frame < range.end);
  const [first, ...others] = eligibleCandidates(range, inside, min);
  if (!first) return [range];

  const { frame } = others.reduce((best, candidate) => (candidate.rank < best.rank ? candidate : best), first);
  return [
    ...splitAtStarts({ start: range.start, end: frame }, inside, min),
    ...splitAtStarts({ start: frame, end: range.end }, inside, min),
  ];
}

/** Candidates that leave both halves long enough. If there are none, but too many clips: the middle ones. */
function eligibleCandidates({ start, end }: FrameRange, inside: readonly CutCandidate[], min: number) {
  const eligible = inside.filter(({ frame }) => frame >= start + min && frame <= end - min);
  if (eligible.length > 0 || inside.length < maxClips) return eligible;
  const quarter = Math.floor(inside.length / 4);
  return inside.slice(quarter, inside.length - quarter);
}

/** Cuts at regular intervals from the start of a section. The last segment has the rest. */
function splitEvenly({ start, end }: FrameRange, spans: readonly Span[], rate: FrameRate): readonly FrameRange[] {
  const step = usualFramesOf(rate);
  const minRest = framesOf(minSeconds.ofRest, rate);
  const cuts = [start];
  for (let frame = start + step; frame <= end - minRest; frame += step) {
    const cut = outsideOfTransition(frame, spans, step);
    // safe because there is always a first cut
    if (cut >= cuts.at(-1)! + minRest) cuts.push(cut);
  }
  return cuts.map((cut, index) => ({ start: cut, end: cuts[index + 1] ?? end }));
}

/**
 * A cut in a transition decodes both of its clips twice if only one half is missing, so it is made before the
 * transition. A long one is cut: its segment would be longer than a GOP, and no encoder could continue after it.
 */
function outsideOfTransition(frame: number, spans: readonly Span[], longFrames: number): number {
  const span = spans.find(({ range }) => isInside(frame, range));
  return span?.kind === "transition" && framesIn(span.whole) <= longFrames ? span.whole.start : frame;
}

/** A frame where overlays begin, end, or both. */
type Edge = { readonly frame: number; readonly starts: boolean; readonly ends: boolean };

/** Edges without another one within a second. Captions change too often to count. */
function edgesOf(overlays: readonly Overlay[], rate: FrameRate): readonly Edge[] {
  const ranges = overlays.filter(({ content }) => content.kind !== "caption").map(({ range }) => range);
  const frames = [...new Set(ranges.flatMap(({ start, end }) => [start, end]))].sort((one, other) => one - other);
  const apart = framesOf(overlayEdges.apartSeconds, rate);
  return frames
    .filter((frame, index) => {
      const [before = -Infinity, after = Infinity] = [frames[index - 1], frames[index + 1]];
      return frame - before >= apart && after - frame >= apart;
    })
    .map((frame) => ({
      frame,
      starts: ranges.some(({ start }) => start === frame),
      ends: ranges.some(({ end }) => end === frame),
    }));
}

/** The part that does not show an overlay stays in the cache when the overlay changes. Transitions stay whole. */
function splitAtEdge(
  segment: FrameRange,
  edges: readonly Edge[],
  spans: readonly Span[],
  rate: FrameRate,
): readonly FrameRange[] {
  const edge = edges.find(({ frame }) => isInside(frame, segment));
  if (!edge) return [segment];
  const { frame, starts, ends } = edge;
  const parts = [
    { start: segment.start, end: frame },
    { start: frame, end: segment.end },
  ] as const;
  const saved = Math.max(starts ? framesIn(parts[0]) : 0, ends ? framesIn(parts[1]) : 0);
  const isWorthIt = saved >= framesOf(overlayEdges.minSavedSeconds, rate);
  const areLongEnough = parts.every((part) => framesIn(part) >= minFrames);
  const isInTransition = spans.some(({ kind, range }) => kind === "transition" && isInside(frame, range));
  return isWorthIt && areLongEnough && !isInTransition ? parts : [segment];
}

/** The frames where clips and gaps become visible. A cut before a transition would seek in the leaving clip. */
const startsOf = ({ spans }: Track): readonly CutCandidate[] =>
  spans.flatMap((span) =>
    span.kind === "transition" ? [] : [{ frame: span.range.start, rank: hash(contentIdOf(span)) }],
  );

/** Identifies what a span shows, independently of its position on the timeline. */
const contentIdOf = (span: Exclude<Span, { kind: "transition" }>): string =>
  span.kind === "gap" ? "gap" : `${span.clip.source.hash} ${span.clip.sourceStartSeconds}${paceIdOf(span.clip)}`;

const paceIdOf = (clip: Clip): string =>
  isPaced(clip) ? ` ${JSON.stringify([clip.speed ?? 1, clip.reverses ?? false])}` : "";

/** FNV-1a, 32 bits: deterministic on every machine. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return value >>> 0;
}
