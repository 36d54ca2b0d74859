import { type FrameRange, type FrameRate, framesIn, isInside } from "./time.ts";
import type { Span, Track } from "./track.ts";

const secondsOf = { shortest: 3, usual: 5, longest: 8 };

// every clip of a segment is a decoder in memory
const mostClips = 16;

/** A frame where a segment may begin. Of several the lowest rank is taken first. */
type Place = { readonly frame: number; readonly rank: number };

/**
 * The parts of a track that can be encoded alone, in order and without holes. Where to cut is decided by what lies at
 * a place and not by how many cuts come before it, so an edit moves only the cuts near it.
 */
export function cutSegments(track: Track, rate: FrameRate): readonly FrameRange[] {
  const frames = (seconds: number) => Math.max(1, Math.round((seconds * rate.num) / rate.den));
  const limits = { shortest: frames(secondsOf.shortest), longest: frames(secondsOf.longest) };
  const places = track.spans.flatMap((span) => placesIn(span, frames(secondsOf.usual)));
  const allowed = places.filter(({ frame }) => !track.spans.some((span) => isTornAt(frame, span)));
  return track.frames > 0 ? divide({ start: 0, end: track.frames }, allowed, limits) : [];
}

type Limits = { readonly shortest: number; readonly longest: number };

/** Cuts at the place of the lowest rank that may be cut, and goes on with both parts. */
function divide(range: FrameRange, places: readonly Place[], limits: Limits): readonly FrameRange[] {
  const inside = places.filter(({ frame }) => frame > range.start && frame < range.end);
  const [first, ...others] = placesToCut(range, inside, limits);
  if (!first) return [range];

  const { frame } = others.reduce((best, place) => (place.rank < best.rank ? place : best), first);
  return [
    ...divide({ start: range.start, end: frame }, inside, limits),
    ...divide({ start: frame, end: range.end }, inside, limits),
  ];
}

/** In a range that is too long all that leave no part too short; in one of too many clips those near its middle. */
function placesToCut(range: FrameRange, inside: readonly Place[], { shortest, longest }: Limits): readonly Place[] {
  if (framesIn(range) > longest) {
    return inside.filter(({ frame }) =>
      isInside(frame, { start: range.start + shortest, end: range.end - shortest + 1 }),
    );
  }
  const quarter = Math.floor(inside.length / 4);
  return inside.length < mostClips ? [] : inside.slice(quarter, inside.length - quarter);
}

/** Where a span begins, and after that on a grid counted from the clip's own start. */
function placesIn(span: Span, step: number): readonly Place[] {
  const { start, end } = span.range;
  // a cut before a transition has the leaving clip decoded twice, from a keyframe that may be far back
  if (span.kind === "transition") return [{ frame: start, rank: ranks.transition + hash(identityOf(span)) }];

  const origin = span.kind === "clip" ? span.clip.range.start : start;
  const grid: Place[] = [];
  for (let frame = origin + step; frame < end; frame += step) {
    if (frame > start) grid.push({ frame, rank: ranks.grid + hash(`${identityOf(span)} ${frame - origin}`) });
  }
  return [{ frame: start, rank: ranks.start + hash(identityOf(span)) }, ...grid];
}

/** Names what is seen, but not where on the timeline. */
function identityOf(span: Span): string {
  if (span.kind === "gap") return "gap";
  const { source, sourceStartSeconds } = span.kind === "clip" ? span.clip : span.to;
  return `${source.hash} ${sourceStartSeconds}`;
}

const isTornAt = (frame: number, span: Span): boolean =>
  span.kind === "transition" && frame > span.whole.start && frame < span.whole.end;

const ranks = { start: 0, grid: 2 ** 32, transition: 2 ** 33 };

/** FNV-1a, 32 bits: the same ranks on every machine. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return value >>> 0;
}
