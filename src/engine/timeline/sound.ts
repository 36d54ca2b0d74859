import type { Keyframe } from "./motion.ts";
import type { Source } from "./source.ts";
import { type FrameRange, type FrameRate, framesIn, toSeconds } from "./time.ts";
import { type Clip, isPaced, type Span, type Track } from "./track.ts";

/** Keyframes on a clock that shows `startSeconds` where the sound begins. */
export type GainCurve = { readonly keyframes: readonly Keyframe<number>[]; readonly startSeconds: number };

/** How a clip's source is played, at its own pitch, if not forwards at its own speed. */
export type SoundPace = {
  readonly speed: NonNullable<Clip["speed"]>;
  readonly reverses: boolean;
  /** The second of the clip at which the piece begins. */
  readonly startSeconds: number;
  /** The length of the clip, whose end a reversed one plays first. */
  readonly clipSeconds: number;
};

/** An uninterrupted part of a clip's sound. Fades are equal-power and lie inside `range`. */
export type SoundPiece = {
  readonly source: Source;
  readonly range: FrameRange;
  /** The start of the piece on the source's own clock; the start of the clip if it has a pace. */
  readonly sourceStartSeconds: number;
  readonly pace?: SoundPace | undefined;
  readonly volume: number;
  /** Factors of the volume over time. */
  readonly gains?: GainCurve | undefined;
  readonly fadeInFrames: number;
  readonly fadeOutFrames: number;
  /** Fades of a few milliseconds where a piece without a fade begins or ends. Default: hard edges. */
  readonly softEdges?: { readonly start: boolean; readonly end: boolean };
};

/** A music file under the whole track. */
export type Music = {
  readonly source: Source;
  readonly volume: number;
  readonly loop: boolean;
  readonly fadeInFrames: number;
  readonly fadeOutFrames: number;
  /** Lowers the music while clips sound. */
  readonly isDucked?: boolean;
  /** Lowers the music while voices sound. */
  readonly isDuckedByVoices?: boolean;
};

/** A recorded voice, from its beginning. If `range` ends before the recording, the rest is omitted. */
export type Voice = {
  readonly source: Source;
  readonly range: FrameRange;
  readonly volume: number;
  /** Normalizes the recording to the common loudness of such voices, before its volume. */
  readonly isNormalized: boolean;
};

/** How an added sound relates to the others. */
export const soundRoles = ["music", "effect", "voice"] as const;

type SoundRole =
  | { readonly role: "effect"; readonly isDuckedByVoices?: boolean }
  /** The sound of a video beside the track, which counts as a clip. */
  | { readonly role: "clip" }
  | { readonly role: "music"; readonly isDucked: boolean; readonly isDuckedByVoices: boolean }
  | { readonly role: "voice"; readonly isNormalized: boolean };

/** A sound at any time of the film. Its fades are equal-power and lie inside `range`. */
export type AddedSound = SoundRole & {
  readonly source: Source;
  /** The audible samples on the film's clock, at 48 kHz. */
  readonly range: FrameRange;
  /** The start of the sound on the source's own clock. */
  readonly sourceStartSeconds: number;
  /** The source's seconds for each second of the film. The pitch stays. */
  readonly speed: number;
  /** Repeats the source from `sourceStartSeconds` to its end. */
  readonly isRepeated: boolean;
  /** Plays backwards what it would play. */
  readonly isReversed?: boolean;
  readonly volume: number;
  /** Factors of the volume, from the start of `range`. */
  readonly gains?: readonly Keyframe<number>[];
  readonly fadeInSamples: number;
  readonly fadeOutSamples: number;
};

export type Sound = {
  readonly pieces: readonly SoundPiece[];
  readonly voices?: readonly Voice[];
  readonly music?: Music;
  readonly added?: readonly AddedSound[];
  /** Masters the sound to the loudness of streaming platforms. */
  readonly isNormalized?: boolean;
};

/** The sound of one clip in one span, or in several adjacent spans. */
type ClipSound = { clip: Clip; range: FrameRange; fadeInFrames: number; fadeOutFrames: number };

/** A clip sounds only while it is visible, crossfades during its transitions, and begins and ends without a click. */
export function soundPieces(track: Track, rate: FrameRate): readonly SoundPiece[] {
  const pieces = track.spans
    .flatMap(clipSoundsIn)
    .reduce(mergeContinuous, [])
    .flatMap((sound) => splitReversed(sound, rate))
    .filter(({ clip: { source, volume } }) => source.facts.hasSound && source.facts.kind !== "image" && volume > 0)
    .map(({ clip, range, fadeInFrames, fadeOutFrames }) => ({
      source: clip.source,
      range,
      ...soundStart(clip, toSeconds(range.start - clip.range.start, rate), rate),
      volume: clip.volume,
      ...(clip.gains && {
        gains: { keyframes: clip.gains, startSeconds: toSeconds(range.start - clip.range.start, rate) },
      }),
      fadeInFrames,
      fadeOutFrames,
    }));
  return withSoftEdges(pieces, rate);
}

function soundStart(
  clip: Clip,
  startSeconds: number,
  rate: FrameRate,
): Pick<SoundPiece, "sourceStartSeconds" | "pace"> {
  const { sourceStartSeconds, speed = 1, reverses = false, range } = clip;
  if (!isPaced(clip)) return { sourceStartSeconds: sourceStartSeconds + startSeconds };
  const clipSeconds = toSeconds(framesIn(range), rate);
  return { sourceStartSeconds, pace: { speed, reverses, startSeconds, clipSeconds } };
}

/** The pieces with soft edges, except where one continues another. */
function withSoftEdges(pieces: readonly SoundPiece[], rate: FrameRate): readonly SoundPiece[] {
  const byStart = Map.groupBy(pieces, ({ range }) => range.start);
  const byEnd = Map.groupBy(pieces, ({ range }) => range.end);
  return pieces.map((piece) => ({
    ...piece,
    softEdges: {
      start: !byEnd.get(piece.range.start)?.some((other) => continues(piece, other, rate)),
      end: !byStart.get(piece.range.end)?.some((other) => continues(other, piece, rate)),
    },
  }));
}

function continues(next: SoundPiece, previous: SoundPiece, rate: FrameRate): boolean {
  if (next.source.file !== previous.source.file) return false;
  if (next.pace || previous.pace) return continuesBackwards(next, previous, rate);
  const end = previous.sourceStartSeconds + toSeconds(framesIn(previous.range), rate);
  // pieces of one clip share its keyframes
  const isSameVolume = next.volume === previous.volume && next.gains?.keyframes === previous.gains?.keyframes;
  return isSameVolume && Math.abs(next.sourceStartSeconds - end) < toleranceSeconds;
}

/** A changed tempo has a seam even between parts of one clip. */
function continuesBackwards(next: SoundPiece, previous: SoundPiece, rate: FrameRate): boolean {
  const [pace, before] = [next.pace, previous.pace];
  if (!pace?.reverses || !before?.reverses || pace.speed !== 1 || before.speed !== 1) return false;
  const isSameClip =
    next.sourceStartSeconds === previous.sourceStartSeconds &&
    next.volume === previous.volume &&
    pace.clipSeconds === before.clipSeconds;
  const end = before.startSeconds + toSeconds(framesIn(previous.range), rate);
  return isSameClip && Math.abs(pace.startSeconds - end) < toleranceSeconds;
}

/** Less than a sample. */
const toleranceSeconds = 1e-5;

function clipSoundsIn(span: Span): ClipSound[] {
  if (span.kind === "gap") return [];
  const { range } = span;
  const unfaded = { range, fadeInFrames: 0, fadeOutFrames: 0 };
  if (span.kind === "clip") return [{ ...unfaded, clip: span.clip }];
  return [
    { ...unfaded, clip: span.from, fadeOutFrames: framesIn(range) },
    { ...unfaded, clip: span.to, fadeInFrames: framesIn(range) },
  ];
}

/** Sound that plays backwards is held in memory: 12 MB for so many seconds of a source. */
const maxReversedSeconds = 30;

/** Cuts sound that plays backwards outside of its fades. */
function splitReversed(sound: ClipSound, rate: FrameRate): readonly ClipSound[] {
  const { clip, range, fadeInFrames, fadeOutFrames } = sound;
  if (!isPaced(clip) || !clip.reverses) return [sound];
  const { speed = 1 } = clip;
  const fastest = typeof speed === "object" ? Math.max(1, ...speed.map(({ value }) => value)) : speed;
  const step = Math.max(1, Math.floor((maxReversedSeconds * rate.num) / rate.den / fastest));
  const cuts: number[] = [];
  for (let cut = range.start + step; cut < range.end; cut += step) {
    if (cut >= range.start + fadeInFrames && cut <= range.end - fadeOutFrames) cuts.push(cut);
  }
  const starts = [range.start, ...cuts];
  return starts.map((start, index) => ({
    clip,
    range: { start, end: starts[index + 1] ?? range.end },
    fadeInFrames: index === 0 ? fadeInFrames : 0,
    fadeOutFrames: index === starts.length - 1 ? fadeOutFrames : 0,
  }));
}

/** Merges a clip's sound with the adjacent sound before it, so that it continues without a seam. */
function mergeContinuous(sounds: readonly ClipSound[], next: ClipSound): ClipSound[] {
  const index = sounds.findLastIndex(({ clip, range }) => clip === next.clip && range.end === next.range.start);
  const previous = sounds[index];
  if (!previous || previous.fadeOutFrames > 0 || next.fadeInFrames > 0) return [...sounds, next];
  const range = { start: previous.range.start, end: next.range.end };
  return sounds.with(index, { ...previous, range, fadeOutFrames: next.fadeOutFrames });
}
