import type { Music, SoundPiece } from "../../timeline/sound.ts";
import {
  type FrameRange,
  type FrameRate,
  framesIn,
  samplesPerSecond,
  toSamples,
  toSeconds,
} from "../../timeline/time.ts";
import type { Timeline } from "../../timeline/timeline.ts";
import {
  amplified,
  delayed,
  ducked,
  fadedSound,
  inStereo,
  lasting,
  lastingAtLeast,
  limited,
  silence,
  steadySound,
  summed,
  trimmedSamples,
} from "../filters/sound.ts";
import { type Audio, input } from "../graph/graph.ts";
import { printNumber } from "../graph/print.ts";
import { type Files, openFile, openSource } from "../sources.ts";

/** Pieces that are rendered to one file, which covers `range`. */
export type SoundGroup = { readonly pieces: readonly SoundPiece[]; readonly range: FrameRange };

const maxInputs = 24;

/** Neighbours together, so that no file and no command grows with the film. */
export function groupPieces(pieces: readonly SoundPiece[]): readonly SoundGroup[] {
  const sorted = pieces.toSorted((a, b) => a.range.start - b.range.start);
  return Array.from({ length: Math.ceil(sorted.length / maxInputs) }, (_, index) => {
    const group = sorted.slice(index * maxInputs, (index + 1) * maxInputs);
    const end = Math.max(...group.map(({ range }) => range.end));
    return { pieces: group, range: { start: group[0]!.range.start, end } };
  });
}

const samplesIn = ({ start, end }: FrameRange, rate: FrameRate): number =>
  toSamples(end, rate) - toSamples(start, rate);

export const drawGroup = ({ pieces, range }: SoundGroup, rate: FrameRate): Audio =>
  summed(
    pieces.map((piece, index) => {
      const late = samplesIn({ start: range.start, end: piece.range.start }, rate);
      return lasting(delayed(drawPiece(piece, index, rate), late), samplesIn(range, rate));
    }),
  );

function drawPiece(piece: SoundPiece, inputIndex: number, rate: FrameRate): Audio {
  const { range, fadeInFrames, fadeOutFrames } = piece;
  const samples = samplesIn(range, rate);
  const first = Math.round(seekSound(piece).offsetSeconds * samplesPerSecond);
  const own = trimmedSamples(inStereo(steadySound(input("audio", inputIndex))), { start: first, end: first + samples });
  const whole = lasting(own, samples);
  const fadeInEnd = samplesIn({ start: range.start, end: range.start + fadeInFrames }, rate);
  const fadeOutStart = samplesIn({ start: range.start, end: range.end - fadeOutFrames }, rate);
  const opened = fadedSound(whole, "in", { start: 0, end: fadeInEnd });
  return amplified(fadedSound(opened, "out", { start: fadeOutStart, end: samples }), piece.volume);
}

// a decoder needs what comes before to begin cleanly
const prerollSeconds = 0.25;

/** MP3 and ADTS only guess where a time lies in the file, so they are decoded from the start. */
function seekSound({ source, sourceStartSeconds }: SoundPiece): { seekSeconds: number; offsetSeconds: number } {
  const guesses = source.facts.container === "mp3" || source.facts.container === "adts";
  const seekSeconds = guesses ? 0 : Math.max(0, Math.floor(sourceStartSeconds - prerollSeconds));
  return { seekSeconds, offsetSeconds: sourceStartSeconds - seekSeconds };
}

export function pieceArgs(piece: SoundPiece, files: Files, rate: FrameRate): readonly string[] {
  const { seekSeconds, offsetSeconds } = seekSound(piece);
  const length = offsetSeconds + toSeconds(framesIn(piece.range), rate) + prerollSeconds;
  const seek = seekSeconds > 0 ? ["-ss", `${seekSeconds}`] : [];
  return openSource(piece.source, files, [...seek, "-t", printNumber(length)]);
}

/** All groups at their places and the music, together as long as the film. The music is the last input. */
export function drawMix(timeline: Timeline, groups: readonly SoundGroup[]): Audio {
  const samples = toSamples(timeline.track.frames, timeline.rate);
  const all = soundsOf(timeline, groups);
  if (all.length === 0) return silence(samples);
  // what is to be normalized is limited after it was made as loud as wanted
  return timeline.sound.isNormalized ? summed(all) : limited(summed(all), samples);
}

function soundsOf({ track, rate, sound }: Timeline, groups: readonly SoundGroup[]): readonly Audio[] {
  const samples = toSamples(track.frames, rate);
  const placed = groups.map(({ range }, index) =>
    lasting(delayed(input("audio", index), toSamples(range.start, rate)), samples),
  );
  if (!sound.music) return placed;
  const music = placeMusic(sound.music, groups.length, track.frames, rate);
  if (!sound.music.isDucked || placed.length === 0) return [...placed, music];
  const clips = summed(placed);
  return [clips, lasting(ducked(music, clips), samples)];
}

function placeMusic(music: Music, inputIndex: number, frames: number, rate: FrameRate): Audio {
  const samples = toSamples(frames, rate);
  const own = Math.round((music.source.facts.durationSeconds ?? Number.POSITIVE_INFINITY) * samplesPerSecond);
  const end = music.loop ? samples : Math.min(own, samples);
  const opened = fadedSound(lasting(input("audio", inputIndex), samples), "in", {
    start: 0,
    end: Math.min(end, toSamples(music.fadeInFrames, rate)),
  });
  const closing = { start: Math.max(0, end - toSamples(music.fadeOutFrames, rate)), end };
  return amplified(fadedSound(opened, "out", closing), music.volume);
}

/** The music by itself: only plain samples loop without a seam, and nothing at all would loop for ever. */
export const drawMusic = (): Audio => lastingAtLeast(inStereo(steadySound(input("audio", 0))), samplesPerSecond / 10);

export const musicArgs = ({ source }: Music, files: Files, seconds: number): readonly string[] =>
  openSource(source, files, ["-t", printNumber(seconds)]);

export const wavArgs = (path: string, options: { readonly loop?: boolean } = {}): readonly string[] =>
  openFile(path, "wav", options.loop ? ["-stream_loop", "-1"] : []);
