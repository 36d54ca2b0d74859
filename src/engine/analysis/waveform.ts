import { z } from "zod";
import { toTenThousandths } from "../../platform/values.ts";
import type { Waveform } from "../ports.ts";

/** The rate of the sound that peaks are measured in: enough to see every beginning. */
export const waveformRate = 16_000;

const channels = 2;

/** Peaks are kept for 32,768 to 65,536 equal parts, several for each of the points that can be wanted. */
const maxParts = 65_536;

/** The peaks of equal parts of a sound. */
export type Peaks = {
  readonly seconds: number;
  /** The samples of a part; the last one may have fewer. */
  readonly partSamples: number;
  /** The lowest and the highest sample of each part. */
  readonly peaks: Int16Array;
};

/** Measures the peaks of samples that arrive in chunks, in memory that does not grow with their number. */
export function peakMeter() {
  const lows = new Int16Array(maxParts);
  const highs = new Int16Array(maxParts);
  let partSamples = 1;
  let values = 0;
  let rest: Uint8Array = new Uint8Array();

  /** Joins each two parts to one. */
  const halve = () => {
    for (let part = 0; part < maxParts / 2; part++) {
      lows[part] = Math.min(lows[2 * part]!, lows[2 * part + 1]!);
      highs[part] = Math.max(highs[2 * part]!, highs[2 * part + 1]!);
    }
    lows.fill(0, maxParts / 2);
    highs.fill(0, maxParts / 2);
    partSamples *= 2;
  };
  const add = (value: number) => {
    if (values >= maxParts * partSamples * channels) halve();
    const isFirst = values % (partSamples * channels) === 0;
    const part = Math.floor(values / (partSamples * channels));
    if (isFirst || value < lows[part]!) lows[part] = value;
    if (isFirst || value > highs[part]!) highs[part] = value;
    values += 1;
  };
  return {
    add: (bytes: Uint8Array) => {
      const all = rest.length > 0 ? Buffer.concat([rest, bytes]) : bytes;
      const view = new DataView(all.buffer, all.byteOffset, all.byteLength);
      for (let at = 0; at + 1 < all.length; at += 2) add(view.getInt16(at, true));
      rest = all.slice(all.length & ~1);
    },
    result: (): Peaks => {
      const parts = Math.ceil(values / (partSamples * channels));
      const peaks = new Int16Array(2 * parts);
      for (let part = 0; part < parts; part++) {
        peaks[2 * part] = lows[part]!;
        peaks[2 * part + 1] = highs[part]!;
      }
      return { seconds: values / channels / waveformRate, partSamples, peaks };
    },
  };
}

/** The waveform in a number of points. A point that is shorter than a part has its peaks. */
export function waveformOf({ seconds, partSamples, peaks }: Peaks, points: number): Waveform {
  const samples = seconds * waveformRate;
  const parts = peaks.length / 2;
  const partAt = (point: number) => (point * samples) / points / partSamples;
  const levels = Array.from({ length: points }, (_, point): readonly [number, number] => {
    const first = Math.min(Math.max(0, parts - 1), Math.floor(partAt(point)));
    const last = Math.min(parts, Math.max(first + 1, Math.ceil(partAt(point + 1))));
    const range = peaks.subarray(2 * first, 2 * last);
    let [low, high] = [range[0] ?? 0, range[1] ?? 0];
    for (let at = 2; at < range.length; at += 2) {
      low = Math.min(low, range[at]!);
      high = Math.max(high, range[at + 1]!);
    }
    return [toTenThousandths(low / 32_768), toTenThousandths(high / 32_768)];
  });
  return { points, peaks: levels, seconds };
}

export const storedPeaks = z
  .object({ seconds: z.number(), partSamples: z.int().positive(), peaks: z.base64() })
  .transform(
    ({ peaks, ...rest }): Peaks => ({
      ...rest,
      peaks: new Int16Array(Uint8Array.from(Buffer.from(peaks, "base64")).buffer),
    }),
  );

export const toStoredPeaks = ({ peaks, ...rest }: Peaks): z.input<typeof storedPeaks> => ({
  ...rest,
  peaks: Buffer.from(peaks.buffer, peaks.byteOffset, peaks.byteLength).toString("base64"),
});
