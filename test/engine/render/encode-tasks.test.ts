import { expect, test } from "bun:test";
import fc from "fast-check";
import { planEncodeTasks } from "../../../src/engine/render/tasks/encode-tasks.ts";
import { type FrameRange, framesIn } from "../../../src/engine/timeline/time.ts";

/** Adjacent segments of these lengths. */
function partsOf(lengths: readonly number[]): readonly { readonly range: FrameRange }[] {
  let end = 0;
  return lengths.map((length) => {
    const start = end;
    end += length;
    return { range: { start, end } };
  });
}

const lengthsOf = (runs: readonly (readonly { readonly range: FrameRange }[])[]) =>
  runs.map((run) => run.map(({ range }) => framesIn(range)));

const shared = (workers: number, clipStarts: readonly number[] = []) => ({
  workers,
  canShareEncoder: true,
  usualFrames: 15,
  clipStarts: new Set(clipStarts),
  leadInAt: (_frame: number) => 0,
});

const halfSeconds = (count: number) => partsOf(new Array<number>(count).fill(15));

test("every part is in one run", () => {
  const lengths = fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 60 });
  fc.assert(
    fc.property(lengths, fc.integer({ min: 1, max: 16 }), (wanted, workers) => {
      const parts = partsOf(wanted);
      const runs = planEncodeTasks(parts, shared(workers));
      expect(runs.flat().toSorted((one, other) => one.range.start - other.range.start)).toEqual([...parts]);
      expect(runs.every((run) => run.length > 0)).toBe(true);
    }),
  );
});

test("an encoder goes on only after whole GOPs of adjacent parts", () => {
  const [first, second, third, ...others] = partsOf([15, 15, 9, 15, 15, 12, 12]);
  const [, fifth, sixth, seventh] = others;
  const runs = lengthsOf(planEncodeTasks([first!, second!, third!, fifth!, sixth!, seventh!], shared(1)));
  expect(runs.toSorted()).toEqual([[12], [15, 12], [15, 15, 9]]);
});

test("each part has its own run if encoders cannot be shared", () => {
  const runs = planEncodeTasks(halfSeconds(3), { ...shared(2), canShareEncoder: false });
  expect(lengthsOf(runs)).toEqual([[15], [15], [15]]);
});

test("a run ends where a clip begins, unless it is short, and after six seconds", () => {
  const runs = lengthsOf(planEncodeTasks(halfSeconds(24), shared(1, [30, 60, 150])));
  expect(runs.map((run) => run.length)).toEqual([12, 6, 4, 2]);
});

test("only what cannot be shared out in whole clips is split", () => {
  const runs = lengthsOf(planEncodeTasks(halfSeconds(30), shared(2, [90, 180, 270, 360])));
  expect(runs.map((run) => run.length)).toEqual([6, 6, 6, 6, 3, 3]);
});

test("clips that are costly to split are taken first, and a clip is split near its keyframes", () => {
  const clipStarts = [90, 180, 270, 360];
  // the first clip has keyframes at 0, 30 and 60
  const leadInAt = (frame: number) => ([0, 30, 60, ...clipStarts].includes(frame) ? 0 : 60);
  const runs = planEncodeTasks(halfSeconds(30), { ...shared(2, clipStarts), leadInAt });
  const placed = runs.map((run) => ({ from: run[0]!.range.start, parts: run.length }));
  expect(placed.slice(4)).toEqual([
    { from: 0, parts: 2 },
    { from: 30, parts: 4 },
  ]);
});

test("a small edit is one run for each worker", () => {
  expect(lengthsOf(planEncodeTasks(halfSeconds(5), shared(2))).map((run) => run.length)).toEqual([2, 3]);
});

/** The time until all workers end, if each takes the next run when it is free, relative to perfect balance. */
function imbalance(clips: number, workers: number): number {
  const lengths = Array.from({ length: clips }, () => new Array<number>(6).fill(15)).flat();
  const clipStarts = Array.from({ length: clips }, (_, index) => index * 90);
  const free = new Array<number>(workers).fill(0);
  for (const run of lengthsOf(planEncodeTasks(partsOf(lengths), shared(workers, clipStarts)))) {
    const next = free.indexOf(Math.min(...free));
    free[next]! += run.reduce((sum, frames) => sum + frames, 0);
  }
  const frames = lengths.reduce((sum, length) => sum + length, 0);
  return Math.max(...free) / (frames / workers);
}

test.each([
  ["6 s", 2, 2, 1],
  ["15 s", 5, 2, 1.07],
  ["15 s", 5, 4, 1.07],
  ["30 s", 10, 2, 1],
  ["30 s", 10, 4, 1.07],
  ["30 s", 10, 8, 1.07],
  ["30 s", 10, 16, 1.07],
])("a film of %s in %p clips keeps %p workers busy to the end", (_, clips, workers, most) => {
  expect(imbalance(clips, workers)).toBeLessThanOrEqual(most);
});

test("parts shorter than usual are not encoded together: their GOPs would not end with them", () => {
  expect(lengthsOf(planEncodeTasks(partsOf([8, 8, 8]), shared(1)))).toEqual([[8], [8], [8]]);
});

test("a scene of three seconds of full frames that move is one run, and a longer one is not", () => {
  const rawBytesIn = (range: FrameRange) => framesIn(range) * 1080 * 1920 * 4;
  const planned = (count: number) => lengthsOf(planEncodeTasks(halfSeconds(count), { ...shared(1), rawBytesIn }));
  expect(planned(6)).toEqual([[15, 15, 15, 15, 15, 15]]);
  expect(planned(8).map((run) => run.length)).toEqual([6, 2]);
});
