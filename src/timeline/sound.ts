import type { Source } from "./source.ts";
import { type FrameRange, type FrameRate, framesIn, toSeconds } from "./time.ts";
import type { Clip, Span, Track } from "./track.ts";

/** One unbroken stretch of a clip's sound. Fades are at equal power and lie inside `range`. */
export type SoundPiece = {
  readonly source: Source;
  readonly range: FrameRange;
  /** Where in the source the piece begins, in seconds of the source's own clock. */
  readonly sourceStartSeconds: number;
  readonly volume: number;
  readonly fadeInFrames: number;
  readonly fadeOutFrames: number;
};

/** One file under the whole film. */
export type Music = {
  readonly source: Source;
  readonly volume: number;
  readonly loop: boolean;
  readonly fadeInFrames: number;
  readonly fadeOutFrames: number;
  /** It falls while clips sound. */
  readonly isDucked?: boolean;
};

export type Sound = {
  readonly pieces: readonly SoundPiece[];
  readonly music?: Music;
  /** Made as loud as platforms play films. */
  readonly isNormalized?: boolean;
};

/** What is heard of one clip on some frames. */
type Heard = { clip: Clip; range: FrameRange; fadeInFrames: number; fadeOutFrames: number };

/** A clip sounds only while it is seen, and crossfades with its picture. */
export function soundPieces(track: Track, rate: FrameRate): readonly SoundPiece[] {
  return track.spans
    .flatMap(heardIn)
    .reduce(joinHeard, [])
    .filter(({ clip: { source, volume } }) => source.facts.hasSound && source.facts.kind !== "image" && volume > 0)
    .map(({ clip, range, fadeInFrames, fadeOutFrames }) => ({
      source: clip.source,
      range,
      sourceStartSeconds: clip.sourceStartSeconds + toSeconds(range.start - clip.range.start, rate),
      volume: clip.volume,
      fadeInFrames,
      fadeOutFrames,
    }));
}

function heardIn(span: Span): Heard[] {
  if (span.kind === "gap") return [];
  const { range } = span;
  const none = { range, fadeInFrames: 0, fadeOutFrames: 0 };
  if (span.kind === "clip") return [{ ...none, clip: span.clip }];
  return [
    { ...none, clip: span.from, fadeOutFrames: framesIn(range) },
    { ...none, clip: span.to, fadeInFrames: framesIn(range) },
  ];
}

/** Joins a clip's sound to the stretch right before it, so that it plays on without a seam. */
function joinHeard(heard: readonly Heard[], next: Heard): Heard[] {
  const index = heard.findLastIndex(({ clip, range }) => clip === next.clip && range.end === next.range.start);
  const before = heard[index];
  if (!before || before.fadeOutFrames > 0 || next.fadeInFrames > 0) return [...heard, next];
  const range = { start: before.range.start, end: next.range.end };
  return heard.with(index, { ...before, range, fadeOutFrames: next.fadeOutFrames });
}
