import { isReference, splitUnits } from "../h264/units.ts";
import { h264Configuration } from "../mp4/sample-entry.ts";
import type { Sample } from "../mp4/sample-table.ts";
import { readTrackFile } from "../mp4/track-file.ts";

/** Some frames of a segment, counted from its start. */
type WantedFrames = { readonly path: string; readonly frames: readonly number[] };

/**
 * Writes frames of segments as one raw H.264 stream, together with only the reference frames that they may be predicted
 * from. This saves a third of the time of a frame and half of that of a contact sheet.
 * Returns the numbers of the wanted frames in the stream.
 */
export async function extractFrames(segments: readonly WantedFrames[], output: string): Promise<readonly number[]> {
  const streams: Uint8Array[] = [];
  const numbers: number[] = [];
  let frameCount = 0;
  for (const segment of segments) {
    const { stream, extracted } = await readFrames(segment);
    streams.push(...stream);
    const numberOf = (frame: number) => frameCount + extracted.filter((earlier) => earlier < frame).length;
    numbers.push(...segment.frames.map(numberOf));
    frameCount += extracted.length;
  }
  await Bun.write(output, Buffer.concat(streams));
  return numbers;
}

async function readFrames({ path, frames: wanted }: WantedFrames) {
  const { samples, format } = await readTrackFile(path);
  const configuration = h264Configuration(format);
  if (!configuration) throw new Error("The segment has no H.264 track.");
  const { parameterSets, lengthBytes } = configuration;
  const bytes = await Bun.file(path).bytes();

  const stream: Uint8Array[] = [];
  const extracted: number[] = [];
  for (const gop of splitGops(numberFrames(samples))) {
    const last = gop.findLastIndex(({ frame }) => wanted.includes(frame));
    if (last >= 0) stream.push(...parameterSets.flatMap((unit) => [startCode, unit]));
    for (const { sample, frame } of gop.slice(0, last + 1)) {
      const units = splitUnits(bytes.subarray(sample.offset, sample.offset + sample.length), lengthBytes);
      if (!wanted.includes(frame) && !isReference(units)) continue;
      extracted.push(frame);
      stream.push(...units.flatMap((unit) => [startCode, unit]));
    }
  }
  return { stream, extracted };
}

/** A sample, which holds one frame, and the number of that frame in display order. */
type FrameSample = { readonly sample: Sample; readonly frame: number };

/** Samples in decoding order. */
function numberFrames(samples: readonly Sample[]): readonly FrameSample[] {
  const shownAt = ({ decodeTicks, shiftTicks }: Sample) => decodeTicks + shiftTicks;
  const order = samples.map(shownAt).toSorted((one, other) => one - other);
  const frames = new Map(order.map((ticks, frame) => [ticks, frame]));
  // safe because the map holds the ticks of every sample
  return samples.map((sample) => ({ sample, frame: frames.get(shownAt(sample))! }));
}

const startCode = Uint8Array.of(0, 0, 0, 1);

/** Splits samples into closed GOPs, each of which decodes on its own. */
function splitGops(samples: readonly FrameSample[]): readonly (readonly FrameSample[])[] {
  const starts = samples.flatMap(({ sample }, index) => (sample.isSync ? [index] : []));
  return starts.map((start, index) => samples.slice(start, starts[index + 1]));
}
