import type { SoundPiece } from "../../timeline/sound.ts";
import {
  type FrameRange,
  type FrameRate,
  framesIn,
  samplesPerSecond,
  toSamples,
  toSeconds,
} from "../../timeline/time.ts";
import { delay, fadeSound, limit, mix, padOrTrimTo, trimSamples, volume, volumeCurve } from "../filters/sound.ts";
import type { Audio } from "../graph/graph.ts";
import { printNumber } from "../graph/print.ts";
import { openSound, type SourcePaths } from "../sources.ts";
import { isMixedDown, soundOf } from "./channels.ts";
import { gainLines } from "./gains.ts";
import { decodedPart, hasPace, paceSound } from "./pace.ts";

type Placed = { readonly range: FrameRange };

/** Neighboring pieces that are mixed by one command. */
export type SoundGroup<Piece extends Placed = SoundPiece> = Placed & { readonly pieces: readonly Piece[] };

const maxPiecesPerGroup = 24;

/** Groups pieces in the order of their starts. This bounds the inputs of a command and the length of a group's file. */
export function groupPieces<Piece extends Placed>(pieces: readonly Piece[]): readonly SoundGroup<Piece>[] {
  const sorted = pieces.toSorted((a, b) => a.range.start - b.range.start);
  return Array.from({ length: Math.ceil(sorted.length / maxPiecesPerGroup) }, (_, index) => {
    const group = sorted.slice(index * maxPiecesPerGroup, (index + 1) * maxPiecesPerGroup);
    const end = Math.max(...group.map(({ range }) => range.end));
    return { pieces: group, range: { start: group[0]!.range.start, end } };
  });
}

export const samplesIn = ({ start, end }: FrameRange, rate: FrameRate): number =>
  toSamples(end, rate) - toSamples(start, rate);

/** `build` gives the sound of a piece; its inputs have the piece's index in the group. */
export const buildGroup = <Piece extends Placed>(
  { pieces, range }: SoundGroup<Piece>,
  rate: FrameRate,
  build: (piece: Piece, inputIndex: number, rate: FrameRate) => Audio,
): Audio =>
  mix(
    pieces.map((piece, index) => {
      const delaySamples = samplesIn({ start: range.start, end: piece.range.start }, rate);
      return padOrTrimTo(delay(build(piece, index, rate), delaySamples), samplesIn(range, rate));
    }),
  );

// three milliseconds
const edgeSamples = (3 * samplesPerSecond) / 1000;

export function buildPiece(piece: SoundPiece, inputIndex: number, rate: FrameRate): Audio {
  const { range, fadeInFrames, fadeOutFrames, softEdges } = piece;
  const samples = samplesIn(range, rate);
  const sought = seekSound(decodedFrom(piece, rate));
  const first = Math.round(sought.offsetSeconds * samplesPerSecond);
  const source = soundOf(piece.source, inputIndex);
  const cut = hasPace(piece)
    ? paceSound(source, piece, { rate, samples, seekSeconds: sought.seekSeconds })
    : padOrTrimTo(trimSamples(source, { start: first, end: first + samples }), samples);
  const sound = isMixedDown(piece.source) ? limit(cut, samples) : cut;
  const fadeInEnd = samplesIn({ start: range.start, end: range.start + fadeInFrames }, rate);
  const fadeOutStart = samplesIn({ start: range.start, end: range.end - fadeOutFrames }, rate);
  const softStart = softEdges?.start ? Math.min(samples, edgeSamples) : 0;
  const softEnd = softEdges?.end ? Math.max(0, samples - edgeSamples) : samples;
  const fadedIn = fadeSound(sound, "in", { start: 0, end: Math.max(softStart, fadeInEnd) });
  const fadeOut = { start: Math.min(softEnd, fadeOutStart), end: samples };
  const loud = volume(fadeSound(fadedIn, "out", fadeOut), piece.volume);
  return piece.gains ? volumeCurve(loud, gainLines(piece.gains, samples / samplesPerSecond)) : loud;
}

/** A piece with a pace needs some sound around what it plays. */
const decodedFrom = (piece: SoundPiece, rate: FrameRate): Pick<SoundPiece, "source" | "sourceStartSeconds"> =>
  hasPace(piece) ? { source: piece.source, sourceStartSeconds: decodedPart(piece, rate).start } : piece;

// a decoder outputs clean sound only after it has decoded some packets before it
export const prerollSeconds = 0.25;

/** A seek in an MP3 or ADTS file only estimates the position, so these files are decoded from their start. */
export function seekSound({ source, sourceStartSeconds }: Pick<SoundPiece, "source" | "sourceStartSeconds">): {
  seekSeconds: number;
  offsetSeconds: number;
} {
  const isSeekInexact = source.facts.container === "mp3" || source.facts.container === "adts";
  const seekSeconds = isSeekInexact ? 0 : Math.max(0, Math.floor(sourceStartSeconds - prerollSeconds));
  return { seekSeconds, offsetSeconds: sourceStartSeconds - seekSeconds };
}

export function pieceArgs(piece: SoundPiece, files: SourcePaths, rate: FrameRate): readonly string[] {
  const { seekSeconds, offsetSeconds } = seekSound(decodedFrom(piece, rate));
  const end = hasPace(piece)
    ? decodedPart(piece, rate).end - seekSeconds
    : offsetSeconds + toSeconds(framesIn(piece.range), rate);
  const durationSeconds = end + prerollSeconds;
  const seek = seekSeconds > 0 ? ["-ss", `${seekSeconds}`] : [];
  return openSound(piece.source, files, [...seek, "-t", printNumber(durationSeconds)]);
}
