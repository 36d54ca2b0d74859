import { declaresDelay } from "../h264/parameter-sets.ts";
import { isIdr, isReference, readConfiguration, splitUnits } from "../h264/units.ts";
import { boxOf } from "../inspect/structure/boxes.ts";
import type { Sample, Track } from "./sample-table.ts";

/** ffmpeg may show a frame this much earlier or later than the file says: its clock starts with the sound. */
export const toleranceSeconds = 0.1;

export type ReadSample = (sample: Sample) => Buffer;

/** A place inside a GOP where decoding can begin, because it brings the pictures that later ones are predicted from. */
export type EntryPoint = {
  /** The number of the first sample after it. */
  readonly sample: number;
  /** Samples to decode before, in place of those with these numbers, in decoding order. */
  pictures(): readonly { readonly sample: number; readonly content: Buffer }[];
};

/**
 * The samples that show the frames at `times` (seconds of the movie) and those that they may be predicted from, in
 * decoding order. The first sample is always one of them, because ffmpeg's clock may start there; if no frame needs it, it
 * has no picture. Decoding begins at the last of `entries`, in decoding order, from which all of these frames decode.
 */
export function chooseSamples(
  track: Track,
  times: readonly number[],
  read: ReadSample,
  entries: readonly EntryPoint[] = [],
): readonly Sample[] {
  const { isStart, isReferred, withoutPicture } = rulesOf(track, read);
  const order = displayOrderOf(track);
  const shown = times.map((time) => shownNear(order, time));
  const entry = entryBefore(limitsOf(shown.flat()), track, entries);
  const wanted = new Set(shown.flat().map(({ number }) => number));
  const chosen = new Set<number>();
  for (const near of shown) {
    const numbers = near.map(({ number }) => number);
    const last = Math.max(...numbers);
    const start = startBefore(limitsOf(near), track, isStart);
    for (let number = Math.max(start, entry?.sample ?? 0); number <= last; number++) {
      if (wanted.has(number) || isReferred(number)) chosen.add(number);
    }
  }
  const numbers = [...chosen].sort((one, other) => one - other);
  // safe because the numbers are those of samples
  const samples = [
    ...(entry && numbers[0] === entry.sample ? picturesOf(entry, track) : []),
    ...numbers.map((number) => track.samples[number]!),
  ];
  const [first] = track.samples;
  return !first || samples[0]?.decodeTicks === first.decodeTicks ? samples : [withoutPicture(first), ...samples];
}

type Shown = { readonly number: number; readonly seconds: number };

/** The first of some samples in decoding order, and when the first one in display order is shown. */
const limitsOf = (shown: readonly Shown[]): Shown => ({
  number: Math.min(...shown.map(({ number }) => number)),
  seconds: Math.min(...shown.map(({ seconds }) => seconds)),
});

const entryBefore = (limits: Shown, track: Track, entries: readonly EntryPoint[]): EntryPoint | undefined =>
  entries.findLast(({ sample: number }) => {
    const sample = track.samples[number];
    return sample && number <= limits.number && secondsOf(track, sample) <= limits.seconds;
  });

/** Decoding begins at the first of them, which is not listed as a keyframe: no time leads there. */
const picturesOf = (entry: EntryPoint, { samples }: Track): readonly Sample[] =>
  entry.pictures().map(({ sample: number, content }) => {
    const sample = samples[number];
    if (!sample || number >= entry.sample) throw new Error("The entry point is not one of this video.");
    return { ...sample, isSync: false, length: content.length, content };
  });

/** When a sample is shown, in seconds of the movie. */
export const secondsOf = ({ originSeconds, ticksPerSecond }: Track, { decodeTicks, shiftTicks }: Sample): number =>
  originSeconds + (decodeTicks + shiftTicks) / ticksPerSecond;

const displayOrderOf = (track: Track): readonly Shown[] =>
  track.samples
    .map((sample, number) => ({ number, seconds: secondsOf(track, sample) }))
    .sort((one, other) => one.seconds - other.seconds);

/** The samples within the tolerance, and the last one before them, or else the first one of all. */
function shownNear(order: readonly Shown[], time: number): readonly Shown[] {
  const from = order.findLastIndex(({ seconds }) => seconds < time - toleranceSeconds);
  const to = order.findLastIndex(({ seconds }) => seconds <= time + toleranceSeconds);
  return order.slice(Math.max(0, from), Math.max(0, to) + 1);
}

/** The last sample where decoding can start so that all samples are shown that follow in decoding and display order. */
function startBefore(limits: Shown, track: Track, isStart: (number: number) => boolean): number {
  for (let number = limits.number; number > 0; number--) {
    const sample = track.samples[number]!; // safe because the limits are a sample's
    if (sample.isSync && secondsOf(track, sample) <= limits.seconds && isStart(number)) return number;
  }
  return 0;
}

/**
 * `isStart`: decoding can start at this sync sample. `isReferred`: other samples may be predicted from this one.
 * `withoutPicture`: a sample that is there only for its time.
 */
function rulesOf({ format, samples }: Track, read: ReadSample) {
  const record = isH264(format.type) ? boxOf(format.content.subarray(visualEntryBytes), "avcC") : undefined;
  if (!record) return { isStart: () => true, isReferred: () => true, withoutPicture: unchanged };

  const { parameterSets, lengthBytes } = readConfiguration(record);
  const content = recordAsSample(record);
  const withoutPicture =
    parameterSets.length < 2 ? unchanged : (sample: Sample): Sample => ({ ...sample, length: content.length, content });
  const unitsOf = (number: number) => splitUnits(read(samples[number]!), lengthBytes);
  const isStart = (number: number) => isIdr(unitsOf(number));
  const isInOrder = samples.every(({ shiftTicks }) => shiftTicks === samples[0]?.shiftTicks);
  if (!isInOrder && !declaresDelay(parameterSets)) return { isStart, isReferred: () => true, withoutPicture };

  const known = new Map<number, boolean>();
  const isReferred = (number: number): boolean => {
    const answer = known.get(number) ?? isReference(unitsOf(number));
    known.set(number, answer);
    return answer;
  };
  return { isStart, isReferred, withoutPicture };
}

const unchanged = (sample: Sample): Sample => sample;

/**
 * ffmpeg's H.264 decoder takes a configuration record with parameter sets and these bits in place of a picture, and gives
 * no frame for it (is_avcc_extradata in h264dec.c). To decode a keyframe of 12 Mbit/s in vain costs 70 ms.
 */
function recordAsSample(record: Buffer): Buffer {
  const sample = Buffer.from(record);
  sample[2] = 0;
  sample[4]! |= 0xfc;
  return sample;
}

const isH264 = (type: string) => type === "avc1" || type === "avc3";

/** The fields of a VisualSampleEntry (ISO/IEC 14496-12), before its boxes. */
export const visualEntryBytes = 78;
