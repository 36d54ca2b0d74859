import { type ReadSample, secondsOf, visualEntryBytes } from "../excerpt/choose-samples.ts";
import type { Track } from "../excerpt/sample-table.ts";
import { readPictureSettings, readSequence } from "../h264/parameter-sets.ts";
import { bytesOfPicture, type RawPictures } from "../h264/raw-picture.ts";
import { readSlice, type Slice, type StreamFormat } from "../h264/slice.ts";
import { isSlice, readConfiguration, splitUnits, typeOf, unitTypes } from "../h264/units.ts";
import { boxOf } from "../inspect/structure/boxes.ts";

/** A picture of a video, and its place in decoding and in display order, counted from 0. */
export type CodedPicture = Slice & {
  readonly number: number;
  readonly frame: number;
  /** When it is shown, in seconds of the movie. */
  readonly seconds: number;
  readonly bytes: number;
};

export type Stream = RawPictures & {
  readonly lengthBytes: number;
  /** In decoding order. */
  readonly pictures: readonly CodedPicture[];
};

/** Reads the headers of an H.264 video. Throws if it has something that makes entry points uncertain. */
export function readStream(track: Track, read: ReadSample): Stream {
  const { type, content } = track.format;
  const record = type === "avc1" ? boxOf(content.subarray(visualEntryBytes), "avcC") : undefined;
  if (!record) throw new Error("The video is not H.264.");
  const { parameterSets, lengthBytes } = readConfiguration(record);
  const format = formatOf(parameterSets);
  const isInOrder = track.samples.every(({ shiftTicks }) => shiftTicks === track.samples[0]?.shiftTicks);
  // a raw picture has more bytes than two bytes can say
  if (lengthBytes < 4 || (!isInOrder && !format.sequence.declaresDelay))
    throw new Error("The video is of a rare kind.");

  const seconds = track.samples.map((sample) => secondsOf(track, sample));
  const frames = displayNumbers(seconds);
  const pictures = track.samples.map((sample, number): CodedPicture => {
    const units = splitUnits(read(sample), lengthBytes);
    const slice = units.find((unit) => isSlice(typeOf(unit)));
    if (!slice || units.some((unit) => isOtherSequence(unit, parameterSets))) throw new Error("The sample is rare.");
    const place = { number, frame: frames[number]!, seconds: seconds[number]! };
    return { ...readSlice(slice, format), ...place, bytes: sample.length };
  });
  return { sequence: format.sequence, settingsId: unusedId(format), lengthBytes, pictures };
}

/** Encoders number them from 0 on. */
const maxSettingsId = 255;

const unusedId = ({ settings }: StreamFormat): number => {
  const ids = Array.from({ length: maxSettingsId + 1 }, (_, number) => maxSettingsId - number);
  return ids.find((id) => !settings.has(id)) ?? maxSettingsId;
};

function formatOf(parameterSets: readonly Uint8Array[]): StreamFormat {
  const of = (unitType: number) => parameterSets.filter((unit) => typeOf(unit) === unitType);
  const [sequence, ...others] = of(unitTypes.sequenceParameters).map(readSequence);
  const settings = of(unitTypes.pictureParameters).map(readPictureSettings);
  const isUsual =
    sequence?.isUsualFormat &&
    sequence.hasFramesOnly &&
    !sequence.allowsGaps &&
    !settings.some((each) => each.isUnusual);
  if (!isUsual || others.length > 0 || sequence.references === 0) throw new Error("The stream is of a rare kind.");
  if (bytesOfPicture(sequence) > maxPictureBytes) throw new Error("The pictures are too large.");
  return { sequence, settings: new Map(settings.map((each) => [each.id, each])) };
}

/** 4096 × 2304 pixels. */
const maxPictureBytes = 16 * 2 ** 20;

const parameterTypes: ReadonlySet<number> = new Set([unitTypes.sequenceParameters, unitTypes.pictureParameters]);

const isOtherSequence = (unit: Uint8Array, parameterSets: readonly Uint8Array[]): boolean =>
  parameterTypes.has(typeOf(unit)) && !parameterSets.some((known) => Buffer.compare(known, unit) === 0);

/** The place of each sample in display order. */
function displayNumbers(seconds: readonly number[]): readonly number[] {
  const order = seconds.map((_, number) => number).sort((one, other) => seconds[one]! - seconds[other]!);
  const numbers = new Array<number>(seconds.length);
  for (const [frame, number] of order.entries()) numbers[number] = frame;
  return numbers;
}
