import { declaresDelay } from "./h264/parameter-sets.ts";
import { isIdr, isReference, splitUnits } from "./h264/units.ts";
import { h264Configuration } from "./sample-entry.ts";
import type { Sample, Track } from "./sample-table.ts";

/** ffmpeg may show a frame this much earlier or later than the file says: its clock starts with the sound. */
const toleranceSeconds = 0.1;

export type ReadSample = (sample: Sample) => Buffer;

/**
 * The samples that show the frames at `times` (seconds of the movie) and those that they may be predicted from, in
 * decoding order. The first sample is always included, because ffmpeg's clock may start there; if no frame needs it, it
 * has no picture.
 */
export function chooseSamples(track: Track, times: readonly number[], read: ReadSample): readonly Sample[] {
  const { isStart, isReferred, withoutPicture } = rulesOf(track, read);
  const order = displayOrderOf(track);
  const shown = times.map((time) => shownNear(order, time));
  const wanted = new Set(shown.flat().map(({ number }) => number));
  const chosen = new Set<number>();
  for (const near of shown) {
    const numbers = near.map(({ number }) => number);
    const last = Math.max(...numbers);
    const start = startBefore(limitsOf(near), track, isStart);
    for (let number = start; number <= last; number++) {
      if (wanted.has(number) || isReferred(number)) chosen.add(number);
    }
  }
  const samples = track.samples.filter((_, number) => chosen.has(number));
  const [first] = track.samples;
  return !first || chosen.has(0) ? samples : [withoutPicture(first), ...samples];
}

type Shown = { readonly number: number; readonly seconds: number };

/** The first of some samples in decoding order, and the time of the first one in display order. */
const limitsOf = (shown: readonly Shown[]): Shown => ({
  number: Math.min(...shown.map(({ number }) => number)),
  seconds: Math.min(...shown.map(({ seconds }) => seconds)),
});

/** The display time of a sample, in seconds of the movie. */
export const secondsOf = ({ originSeconds, ticksPerSecond }: Track, { decodeTicks, shiftTicks }: Sample): number =>
  originSeconds + (decodeTicks + shiftTicks) / ticksPerSecond;

const displayOrderOf = (track: Track): readonly Shown[] =>
  track.samples
    .map((sample, number) => ({ number, seconds: secondsOf(track, sample) }))
    .sort((one, other) => one.seconds - other.seconds);

/** The samples within the tolerance, and the last one before them, or else the very first one. */
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
 * `withoutPicture`: a sample that only marks its time.
 */
function rulesOf({ format, samples }: Track, read: ReadSample) {
  const configuration = h264Configuration(format);
  if (!configuration) return { isStart: () => true, isReferred: () => true, withoutPicture: unchanged };

  const { record, parameterSets, lengthBytes } = configuration;
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
 * ffmpeg's H.264 decoder takes a configuration record with parameter sets and these bits in place of a picture, and
 * outputs no frame for it (is_avcc_extradata in h264dec.c). Decoding a superfluous keyframe of 12 Mbit/s costs 70 ms.
 */
function recordAsSample(record: Buffer): Buffer {
  const sample = Buffer.from(record);
  sample[2] = 0;
  sample[4]! |= 0xfc;
  return sample;
}
