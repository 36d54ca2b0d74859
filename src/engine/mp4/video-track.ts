import { yieldIfBusy } from "../../platform/cpu.ts";
import type { FrameRate } from "../timeline/time.ts";
import { headerFields, stblPath } from "./boxes.ts";
import { type Chunk, chunksOf, noBytes, type OutputTrack } from "./chunks.ts";
import { changeBoxes, printBox, printNumbers, printRuns, withNumbers } from "./print-boxes.ts";
import { h264Configuration, printVisualEntry } from "./sample-entry.ts";
import { movieTimescale, type TrackFile } from "./track-file.ts";

/** Joins segments that encode the same video one after another. Throws if the encoding of one differs. */
export async function joinSegments(
  segments: readonly [TrackFile, ...TrackFile[]],
  rate: FrameRate,
): Promise<OutputTrack> {
  const [first] = segments;
  const { ticksPerSecond } = first;
  const withoutParameters = printVisualEntry(first.format, new Set(["btrt", "avcC"]));
  const isAlike = segments.every(
    (segment) =>
      segment.ticksPerSecond === ticksPerSecond &&
      printVisualEntry(segment.format, new Set(["btrt", "avcC"])).equals(withoutParameters),
  );
  if (!isAlike) throw new Error("The segments of a film were encoded in different ways.");
  // ffmpeg passes on the chroma location of the sources, so the parameters of segments can differ
  const allParameters = segments.map(printParameters);
  const areParametersEqual = allParameters.every((parameters) => parameters.equals(allParameters[0]!));
  const frameTicks = (ticksPerSecond * rate.den) / rate.num;
  // the encoder's reordering delays the first frame, and a segment of one or two frames is delayed less than others
  const startTicks = Math.max(...segments.map((segment) => segment.startTicks));
  const chunks: Chunk[] = [];
  const frames: Frames = { sizes: [], delays: [], keyframes: [] };
  for (const [index, segment] of segments.entries()) {
    const parameters = areParametersEqual ? noBytes : allParameters[index]!;
    const startSeconds = (frames.sizes.length * rate.den) / rate.num;
    chunks.push(...chunksOf(segment, { startSeconds, parameters }));
    addFrames(frames, segment, { parameterBytes: parameters.length, startTicks, frameTicks });
    await yieldIfBusy();
  }
  return { chunks, trak: printTrak(first, frames, { startTicks, frameTicks }) };
}

/** The parameter sets in the form that precedes the first NAL unit of a sample: each follows its length in 4 bytes. */
function printParameters({ format }: TrackFile): Buffer {
  const { parameterSets } = h264Configuration(format) ?? { parameterSets: [] };
  return Buffer.concat(
    parameterSets.flatMap((unit) => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(unit.length);
      return [length, unit];
    }),
  );
}

/** The tables of a video. Its frames have equal durations. */
type Frames = {
  readonly sizes: number[];
  /** The ticks from the decode time to the presentation time. */
  readonly delays: number[];
  /** The numbers of frames, from 1. */
  readonly keyframes: number[];
};

type Shift = { readonly parameterBytes: number; readonly startTicks: number; readonly frameTicks: number };

function addFrames(frames: Frames, segment: TrackFile, { parameterBytes, startTicks, frameTicks }: Shift): void {
  for (const [index, { decodeTicks, shiftTicks, length, isSync }] of segment.samples.entries()) {
    const presentationTicks = decodeTicks + shiftTicks - segment.startTicks;
    frames.sizes.push(isSync ? length + parameterBytes : length);
    frames.delays.push(presentationTicks + startTicks - index * frameTicks);
    if (isSync) frames.keyframes.push(frames.sizes.length);
  }
}

function printTrak(
  file: TrackFile,
  { sizes, delays, keyframes }: Frames,
  { startTicks, frameTicks }: Omit<Shift, "parameterBytes">,
): Buffer {
  // the bit rate of the entry is that of one segment
  const entry = printVisualEntry(file.format, new Set(["btrt"]));
  const stbl = Buffer.concat([
    printBox("stsd", printNumbers([1]), entry),
    printBox("stts", printNumbers([1, sizes.length, frameTicks])),
    printBox("stss", printNumbers([keyframes.length, ...keyframes])),
    printBox("ctts", printRuns(delays)),
    printBox("stsz", printNumbers([0, sizes.length, ...sizes])),
  ]);
  const duration = sizes.length * frameTicks;
  const movieDuration = Math.ceil((duration * movieTimescale(file)) / file.ticksPerSecond);
  const { tkhd, elst, mdhd } = headerFields;
  const edit = { [elst.duration]: movieDuration, [elst.startTime]: startTicks };
  const changes: readonly (readonly [readonly string[], (content: Buffer) => Buffer])[] = [
    [["tkhd"], (box) => withNumbers(box, { [tkhd.duration]: movieDuration })],
    [["edts", "elst"], (box) => withNumbers(box, edit)],
    [["mdia", "mdhd"], (box) => withNumbers(box, { [mdhd.duration]: duration })],
    [stblPath, () => stbl],
  ];
  return changes.reduce((trak, [path, change]) => changeBoxes(trak, path, change), file.trak);
}
