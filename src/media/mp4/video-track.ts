import { yieldIfBusy } from "../../platform/event-loop.ts";
import type { FrameRate } from "../../timeline/time.ts";
import { headerFields, printBox, printNumbers, replaceBox, requireBox, stblPath, withNumbers } from "./boxes.ts";
import { type Chunk, chunksOf, type FilmTrack, noBytes } from "./chunks.ts";
import { readDescription } from "./h264-description.ts";
import type { TrackFile } from "./track-file.ts";

/**
 * One track of segments that encode the same video one after another. Throws if one was encoded in another way than the
 * first.
 */
export async function joinSegments(
  segments: readonly [TrackFile, ...TrackFile[]],
  rate: FrameRate,
): Promise<FilmTrack> {
  const [first] = segments;
  const { timescale } = first;
  const { stsd, parameters: firstParameters, others } = readDescription(first);
  const descriptions = segments.map(readDescription);
  const isAlike = descriptions.every((description) => description.others.equals(others));
  if (!isAlike || segments.some((segment) => segment.timescale !== timescale)) {
    throw new Error("The segments of a film were encoded in different ways.");
  }
  // ffmpeg passes on the chroma location of the sources, so that the parameters of segments can differ
  const areParametersEqual = descriptions.every(({ parameters }) => parameters.equals(firstParameters));
  const frameTicks = (timescale * rate.den) / rate.num;
  // the encoder's reordering delays the first frame, in a segment of one or two frames less than in others
  const startTime = Math.max(...segments.map((segment) => segment.startTime));
  const chunks: Chunk[] = [];
  const frames: Frames = { sizes: [], delays: [], keyframes: [] };
  for (const [index, segment] of segments.entries()) {
    const parameters = areParametersEqual ? noBytes : descriptions[index]!.parameters;
    const startSeconds = (frames.sizes.length * rate.den) / rate.num;
    chunks.push(...chunksOf(segment, { startSeconds, parameters }));
    addFrames(frames, segment, { parameterBytes: parameters.length, startTime, frameTicks });
    await yieldIfBusy();
  }
  return { chunks, trak: printTrak(first, frames, { stsd, startTime, frameTicks }) };
}

/** The tables of a video. Its frames have equal durations. */
type Frames = {
  readonly sizes: number[];
  /** From the decode time to the presentation time, in ticks. */
  readonly delays: number[];
  /** Numbers of frames, from 1. */
  readonly keyframes: number[];
};

type Shift = { readonly parameterBytes: number; readonly startTime: number; readonly frameTicks: number };

function addFrames(frames: Frames, segment: TrackFile, { parameterBytes, startTime, frameTicks }: Shift): void {
  let decodeTime = 0;
  for (const [index, size] of segment.sizes.entries()) {
    const isKeyframe = segment.keyframes.has(index);
    const presentationTime = decodeTime + segment.delays[index]! - segment.startTime;
    frames.sizes.push(isKeyframe ? size + parameterBytes : size);
    frames.delays.push(presentationTime + startTime - index * frameTicks);
    if (isKeyframe) frames.keyframes.push(frames.sizes.length);
    decodeTime += segment.durations[index]!;
  }
}

type TrackFacts = { readonly stsd: Buffer; readonly startTime: number; readonly frameTicks: number };

function printTrak(
  { moov, timescale }: TrackFile,
  frames: Frames,
  { stsd, startTime, frameTicks }: TrackFacts,
): Buffer {
  const { sizes, delays, keyframes } = frames;
  const stbl = Buffer.concat([
    printBox("stsd", stsd),
    printBox("stts", printNumbers([1, sizes.length, frameTicks])),
    printBox("stss", printNumbers([keyframes.length, ...keyframes])),
    printBox("ctts", printRuns(delays)),
    printBox("stsz", printNumbers([0, sizes.length, ...sizes])),
  ]);
  const duration = sizes.length * frameTicks;
  const movieTimescale = requireBox(moov, "mvhd").readUInt32BE(headerFields.mvhd.timescale);
  const movieDuration = Math.ceil((duration * movieTimescale) / timescale);
  const { tkhd, elst, mdhd } = headerFields;
  const trak = requireBox(moov, "trak");
  const change = (printed: Buffer, path: readonly string[], numbers: Readonly<Record<number, number>>) =>
    replaceBox(printed, path, withNumbers(requireBox(trak, ...path), numbers));
  const withDuration = change(trak, ["tkhd"], { [tkhd.duration]: movieDuration });
  const edit = { [elst.duration]: movieDuration, [elst.startTime]: startTime };
  const withEdit = change(withDuration, ["edts", "elst"], edit);
  return replaceBox(change(withEdit, ["mdia", "mdhd"], { [mdhd.duration]: duration }), stblPath, stbl);
}

/** A table of runs of equal values: their number, and for each its length and its value. */
function printRuns(values: readonly number[]): Buffer {
  const runs: number[] = [];
  for (const value of values) {
    if (runs.at(-1) === value) runs[runs.length - 2]!++;
    else runs.push(1, value);
  }
  return printNumbers([runs.length / 2, ...runs]);
}
