import { expect, test } from "bun:test";
import fc from "fast-check";
import { peakMeter, storedPeaks, toStoredPeaks, waveformOf } from "../../../src/engine/analysis/waveform.ts";

/** The bytes of stereo samples with equal sides, in chunks that split samples. */
function measured(samples: readonly number[], chunkBytes = 7) {
  const meter = peakMeter();
  const bytes = new Uint8Array(Int16Array.from(samples.flatMap((sample) => [sample, sample])).buffer);
  for (let at = 0; at < bytes.length; at += chunkBytes) meter.add(bytes.subarray(at, at + chunkBytes));
  return meter.result();
}

test("each point has the lowest and the highest sample of its part", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: -32_768, max: 32_767 }), { minLength: 1, maxLength: 300 }),
      fc.integer({ min: 1, max: 50 }),
      (samples, points) => {
        const { peaks, seconds } = waveformOf(measured(samples), points);
        expect(seconds).toBe(samples.length / 16_000);
        expect(peaks).toHaveLength(points);
        for (const [point, [low, high]] of peaks.entries()) {
          const first = Math.floor((point * samples.length) / points);
          const part = samples.slice(first, Math.max(first + 1, Math.ceil(((point + 1) * samples.length) / points)));
          expect(low).toBeCloseTo(Math.min(...part) / 32_768, 4);
          expect(high).toBeCloseTo(Math.max(...part) / 32_768, 4);
        }
      },
    ),
    { numRuns: 50 },
  );
});

test("a long sound keeps its peaks in memory that does not grow", () => {
  const meter = peakMeter();
  const second = new Int16Array(2 * 16_000);
  second[1000] = 20_000;
  second[1001] = -10_000;
  const bytes = new Uint8Array(second.buffer);
  for (let seconds = 0; seconds < 40; seconds++) meter.add(bytes);
  const peaks = meter.result();
  expect(peaks.peaks.length).toBeLessThanOrEqual(2 * 65_536);
  const { peaks: points } = waveformOf(peaks, 40);
  expect(points).toEqual(Array.from({ length: 40 }, () => [-0.3052, 0.6104]));
});

test("stored peaks are read again, and silence and nothing have a waveform", () => {
  const peaks = measured([1, -2, 300, -400]);
  expect(storedPeaks.parse(JSON.parse(JSON.stringify(toStoredPeaks(peaks))))).toEqual(peaks);
  expect(waveformOf(measured([]), 2)).toEqual({
    points: 2,
    seconds: 0,
    peaks: [
      [0, 0],
      [0, 0],
    ],
  });
});
