import { type FrameRange, type FrameRate, framesIn, isInside } from "./time.ts";
import type { Span, Track } from "./track.ts";

/** Long enough to cost few bytes more than a long GOP, short enough that an edit renders little that it did not change. */
const usualSeconds = 0.5;

/** A shorter part of a clip or row of clips is no segment of its own, because each segment costs a keyframe. */
const minSeconds = { ofClips: 0.5, ofRest: 0.25 };

// every clip of a segment is a decoder in memory
const maxClips = 16;

/** A frame where clips may be separated. The candidate with the lowest rank is cut first. */
type CutCandidate = { readonly frame: number; readonly rank: number };

/**
 * Cuts a track into segments that can be encoded alone, in order and without gaps: where clips begin, and from there
 * every half second. Cuts depend on the content around them and not on its position, so an edit moves only the cuts near
 * it, and the other segments stay in the cache.
 */
export function cutSegments(track: Track, rate: FrameRate): readonly FrameRange[] {
  if (track.frames === 0) return [];
  const whole = { start: 0, end: track.frames };
  return splitAtStarts(whole, startsOf(track), framesOf(minSeconds.ofClips, rate)).flatMap((section) =>
    splitEvenly(section, track.spans, rate),
  );
}

/** The frames of most segments. Others hold the rest of a clip, or are cut around a transition. */
export const usualFramesOf = (rate: FrameRate): number => framesOf(usualSeconds, rate);

// an encoder treats videos of single-frame GOPs differently
const framesOf = (seconds: number, { num, den }: FrameRate) => Math.max(2, Math.round((seconds * num) / den));

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

/** Cuts from the start of a section on. The last segment has the rest. */
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
 * A cut in a transition decodes both of its clips twice if only one half is missing, so it is made before the transition.
 * A long one is cut: its segment would be longer than a GOP, and no encoder could go on after it.
 */
function outsideOfTransition(frame: number, spans: readonly Span[], longFrames: number): number {
  const span = spans.find(({ range }) => isInside(frame, range));
  return span?.kind === "transition" && framesIn(span.whole) <= longFrames ? span.whole.start : frame;
}

/** Where clips and gaps become visible. A cut before a transition would seek in the leaving clip. */
const startsOf = ({ spans }: Track): readonly CutCandidate[] =>
  spans.flatMap((span) =>
    span.kind === "transition" ? [] : [{ frame: span.range.start, rank: hash(contentIdOf(span)) }],
  );

/** Identifies what a span shows, independently of its position on the timeline. */
const contentIdOf = (span: Exclude<Span, { kind: "transition" }>): string =>
  span.kind === "gap" ? "gap" : `${span.clip.source.hash} ${span.clip.sourceStartSeconds}`;

/** FNV-1a, 32 bits: deterministic on every machine. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return value >>> 0;
}
