import { type FrameRange, type FrameRate, framesIn, isInside } from "./time.ts";
import type { Span, Track } from "./track.ts";

const secondsOf = { shortest: 3, usual: 5, longest: 8 };

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

/** Cuts at the place of the lowest rank that leaves no part too short, and goes on with both parts. */
function divide(
  range: FrameRange,
  places: readonly Place[],
  limits: { readonly shortest: number; readonly longest: number },
): readonly FrameRange[] {
  if (framesIn(range) <= limits.longest) return [range];
  const inner = { start: range.start + limits.shortest, end: range.end - limits.shortest + 1 };
  const eligible = places.filter(({ frame }) => isInside(frame, inner));
  const [first, ...others] = eligible;
  if (!first) return [range];

  const { frame } = others.reduce((best, place) => (place.rank < best.rank ? place : best), first);
  return [
    ...divide({ start: range.start, end: frame }, eligible, limits),
    ...divide({ start: frame, end: range.end }, eligible, limits),
  ];
}

/** Where a span begins, and after that on a grid counted from the clip's own start. */
function placesIn(span: Span, step: number): readonly Place[] {
  const { start, end } = span.range;
  const origin = span.kind === "clip" ? span.clip.range.start : start;
  const grid: Place[] = [];
  for (let frame = origin + step; frame < end; frame += step) {
    if (frame > start) grid.push({ frame, rank: afterStarts + hash(`${identityOf(span)} ${frame - origin}`) });
  }
  return [{ frame: start, rank: hash(identityOf(span)) }, ...grid];
}

/** Names what is seen, but not where on the timeline. */
function identityOf(span: Span): string {
  if (span.kind === "gap") return "gap";
  const { source, sourceStartSeconds } = span.kind === "clip" ? span.clip : span.to;
  return `${source.hash} ${sourceStartSeconds}`;
}

const isTornAt = (frame: number, span: Span): boolean =>
  span.kind === "transition" && frame > span.whole.start && frame < span.whole.end;

const afterStarts = 2 ** 32;

/** FNV-1a, 32 bits: the same ranks on every machine. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return value >>> 0;
}
