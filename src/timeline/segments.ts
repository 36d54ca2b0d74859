import { type FrameRange, type FrameRate, framesIn, isInside } from "./time.ts";
import type { Span, Track } from "./track.ts";

const segmentSeconds = { min: 3, usual: 5, max: 8 };

// every clip of a segment is a decoder in memory
const maxClips = 16;

/** A frame where a segment may start. The candidate with the lowest rank is cut first. */
type CutCandidate = { readonly frame: number; readonly rank: number };

/**
 * Cuts a track into segments that can be encoded alone, in order and without gaps. Ranks depend on the content at a
 * frame and not on its position, so an edit moves only the cuts near it, and the other segments stay in the cache.
 */
export function cutSegments(track: Track, rate: FrameRate): readonly FrameRange[] {
  const frames = (seconds: number) => Math.max(1, Math.round((seconds * rate.num) / rate.den));
  const limits = { minFrames: frames(segmentSeconds.min), maxFrames: frames(segmentSeconds.max) };
  const candidates = track.spans.flatMap((span) => candidatesIn(span, frames(segmentSeconds.usual)));
  const allowed = candidates.filter(({ frame }) => !track.spans.some((span) => splitsTransition(frame, span)));
  return track.frames > 0 ? splitRange({ start: 0, end: track.frames }, allowed, limits) : [];
}

type Limits = { readonly minFrames: number; readonly maxFrames: number };

/** Cuts at the eligible candidate with the lowest rank, and then splits both halves. */
function splitRange(range: FrameRange, candidates: readonly CutCandidate[], limits: Limits): readonly FrameRange[] {
  const inside = candidates.filter(({ frame }) => frame > range.start && frame < range.end);
  const [first, ...others] = eligibleCandidates(range, inside, limits);
  if (!first) return [range];

  const { frame } = others.reduce((best, candidate) => (candidate.rank < best.rank ? candidate : best), first);
  return [
    ...splitRange({ start: range.start, end: frame }, inside, limits),
    ...splitRange({ start: frame, end: range.end }, inside, limits),
  ];
}

/** For a range that is too long: candidates that leave both halves long enough. For too many clips: the middle ones. */
function eligibleCandidates(
  range: FrameRange,
  inside: readonly CutCandidate[],
  { minFrames, maxFrames }: Limits,
): readonly CutCandidate[] {
  if (framesIn(range) > maxFrames) {
    return inside.filter(({ frame }) =>
      isInside(frame, { start: range.start + minFrames, end: range.end - minFrames + 1 }),
    );
  }
  const quarter = Math.floor(inside.length / 4);
  return inside.length < maxClips ? [] : inside.slice(quarter, inside.length - quarter);
}

/** The start of a span, and after it a grid that is counted from the clip's own start. */
function candidatesIn(span: Span, gridFrames: number): readonly CutCandidate[] {
  const { start, end } = span.range;
  const content = contentIdOf(span);
  // a cut before a transition decodes the leaving clip twice, from a keyframe that may be far back
  if (span.kind === "transition") return [{ frame: start, rank: baseRanks.transition + hash(content) }];

  const origin = span.kind === "clip" ? span.clip.range.start : start;
  const grid: CutCandidate[] = [];
  for (let frame = origin + gridFrames; frame < end; frame += gridFrames) {
    if (frame > start) grid.push({ frame, rank: baseRanks.grid + hash(`${content} ${frame - origin}`) });
  }
  return [{ frame: start, rank: baseRanks.start + hash(content) }, ...grid];
}

/** Identifies what a span shows, independently of its position on the timeline. */
function contentIdOf(span: Span): string {
  if (span.kind === "gap") return "gap";
  const { source, sourceStartSeconds } = span.kind === "clip" ? span.clip : span.to;
  return `${source.hash} ${sourceStartSeconds}`;
}

const splitsTransition = (frame: number, span: Span): boolean =>
  span.kind === "transition" && frame > span.whole.start && frame < span.whole.end;

const baseRanks = { start: 0, grid: 2 ** 32, transition: 2 ** 33 };

/** FNV-1a, 32 bits: deterministic on every machine. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return value >>> 0;
}
