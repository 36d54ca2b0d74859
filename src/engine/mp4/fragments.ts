import type { FrameRange, FrameRate } from "../timeline/time.ts";
import { headerFields, requireBox, stblPath } from "./boxes.ts";
import { changeBoxes, printBox, printNumbers, printWithout, withNumbers } from "./print-boxes.ts";
import { printVisualEntry } from "./sample-entry.ts";
import type { Sample } from "./sample-table.ts";
import { movieTimescale, readTrackFile, type TrackFile } from "./track-file.ts";

type FragmentPosition = {
  readonly range: FrameRange;
  readonly rate: FrameRate;
  /** The delay of all fragments' times, in frames. */
  readonly delayFrames: number;
};

/** The bytes that a player needs before the fragment of a segment: the parameter sets, and no sample. */
export async function readInitialization(path: string): Promise<Buffer> {
  const file = await readTrackFile(path);
  // the fragments hold the display times of frames
  const trak = printWithout(file.trak, new Set(["edts"]));
  return printInitialization({ ...file, trak }, printVisualEntry(file.format, new Set(["btrt"])));
}

/**
 * A segment as one fragment. Decode times start at the display time of the first frame, so that fragments are decoded
 * consecutively, whatever the delay of their encoder: some offsets from there are negative.
 */
export async function readFragment(path: string, { range, rate, delayFrames }: FragmentPosition): Promise<Buffer> {
  const { samples, startTicks, ticksPerSecond } = await readTrackFile(path);
  if (samples.length !== range.end - range.start) throw new Error("A segment has another number of frames.");
  const frameTicks = (ticksPerSecond * rate.den) / rate.num;
  const timed = samples.map((sample, index) => ({
    ...sample,
    durationTicks: frameTicks,
    shiftTicks: sample.decodeTicks + sample.shiftTicks - startTicks - index * frameTicks,
  }));
  const bytes = await Bun.file(path).bytes();
  return printFragment({ samples: timed, bytes, number: range.start, ticks: (range.start + delayFrames) * frameTicks });
}

/** AAC frames of a fragment: about a second. */
const soundSamples = 47;

/** A sound as a fragmented file. As in the file, its edit skips the priming of the encoder. */
export async function readFragmentedSound(path: string): Promise<Buffer> {
  const file = await readTrackFile(path);
  const samples = shownSamples(file);
  const bytes = await Bun.file(path).bytes();
  const fragments: Buffer[] = [];
  for (let first = 0; first < samples.length; first += soundSamples) {
    const some = samples.slice(first, first + soundSamples);
    fragments.push(printFragment({ samples: some, bytes, number: fragments.length, ticks: some[0]!.decodeTicks }));
  }
  return Buffer.concat([printInitialization(file, printBox(file.format.type, file.format.content)), ...fragments]);
}

/** Players do not read the end of an edit in a fragmented file. */
function shownSamples(file: TrackFile): readonly Sample[] {
  const { samples, startTicks, ticksPerSecond, trak } = file;
  const duration = requireBox(trak, "edts", "elst").readUInt32BE(headerFields.elst.duration);
  const end = startTicks + (duration * ticksPerSecond) / movieTimescale(file);
  return samples.filter(({ decodeTicks }) => decodeTicks < end);
}

const trackId = 1;

/** Prints the initialization with `trak` as the track's box. */
function printInitialization({ moov, trak }: TrackFile, entry: Buffer): Buffer {
  const { mvhd, tkhd, mdhd } = headerFields;
  const empty = printNumbers([0]);
  const table = Buffer.concat([
    printBox("stsd", printNumbers([1]), entry),
    ...["stts", "stsc", "stco"].map((type) => printBox(type, empty)),
    printBox("stsz", printNumbers([0, 0])),
  ]);
  const changes: readonly (readonly [readonly string[], (content: Buffer) => Buffer])[] = [
    [["mvhd"], (box) => withNumbers(box, { [mvhd.duration]: 0, [mvhd.nextTrackId]: trackId + 1 })],
    [["trak", "tkhd"], (box) => withNumbers(box, { [tkhd.trackId]: trackId, [tkhd.duration]: 0 })],
    [["trak", "mdia", "mdhd"], (box) => withNumbers(box, { [mdhd.duration]: 0 })],
    [["trak", ...stblPath], () => table],
  ];
  const whole = Buffer.concat([
    printBox("mvhd", requireBox(moov, "mvhd")),
    printBox("trak", trak),
    printBox("mvex", printBox("trex", printNumbers([trackId, 1, 0, 0, 0]))),
  ]);
  const content = changes.reduce<Buffer>((boxes, [path, change]) => changeBoxes(boxes, path, change), whole);
  return Buffer.concat([printBox("ftyp", Buffer.from("iso6\0\0\0\0iso6mp41", "latin1")), printBox("moov", content)]);
}

type Fragment = {
  readonly samples: readonly Sample[];
  /** The bytes of the file from the first to the last sample. */
  readonly bytes: Uint8Array;
  readonly number: number;
  /** The decode time of the first sample. */
  readonly ticks: number;
};

/** The flags of `tfhd` and `trun`, ISO/IEC 14496-12, 8.8. */
const startsAtFragment = 0x020000;
const runFields = 0x000f01;
const isKeyframe = 0x02000000;
const dependsOnOthers = 0x01010000;

function printFragment({ samples, bytes, number, ticks }: Fragment): Buffer {
  const first = samples[0]!.offset;
  const last = samples.at(-1)!;
  const content = bytes.subarray(first, last.offset + last.length);
  const fields = samples.flatMap(({ durationTicks, length, isSync, shiftTicks }) => [
    ...[durationTicks, length, isSync ? isKeyframe : dependsOnOthers, shiftTicks],
  ]);
  const print = (contentAt: number) =>
    printBox(
      "moof",
      printBox("mfhd", printNumbers([number + 1])),
      printBox(
        "traf",
        printBox("tfhd", withFlags(printNumbers([trackId]), startsAtFragment)),
        printBox("tfdt", printNumbers([Math.floor(ticks / 2 ** 32), ticks % 2 ** 32], 1)),
        printBox("trun", withFlags(printNumbers([samples.length, contentAt, ...fields], 1), runFields)),
      ),
    );
  // the length does not depend on the position
  const { length } = print(0);
  const header = printBox("mdat", content);
  return Buffer.concat([print(length + header.length - content.length), header]);
}

/** The flags of a full box follow its version. */
const withFlags = (content: Buffer, flags: number): Buffer =>
  withNumbers(content, { 0: content.readUInt32BE(0) + flags });
