import { expect, test } from "bun:test";
import fc from "fast-check";
import { planRuns } from "../../../src/media/render/runs.ts";
import { type FrameRange, framesIn } from "../../../src/timeline/time.ts";

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
  usualFrames: 30,
  clipStarts: new Set(clipStarts),
});

test("every part is in one run", () => {
  const lengths = fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 60 });
  fc.assert(
    fc.property(lengths, fc.integer({ min: 1, max: 16 }), (wanted, workers) => {
      const parts = partsOf(wanted);
      const runs = planRuns(parts, shared(workers));
      expect(runs.flat().toSorted((one, other) => one.range.start - other.range.start)).toEqual([...parts]);
      expect(runs.every((run) => run.length > 0)).toBe(true);
    }),
  );
});

test("an encoder goes on only after whole GOPs of adjacent parts", () => {
  const [first, second, third, ...others] = partsOf([30, 30, 12, 30, 30, 25, 25]);
  const [, fifth, sixth, seventh] = others;
  const runs = lengthsOf(planRuns([first!, second!, third!, fifth!, sixth!, seventh!], shared(1)));
  expect(runs.toSorted()).toEqual([[25], [30, 25], [30, 30, 12]]);
});

test("each part has its own run if encoders cannot be shared", () => {
  const parts = partsOf([30, 30, 30]);
  expect(lengthsOf(planRuns(parts, { ...shared(2), canShareEncoder: false }))).toEqual([[30], [30], [30]]);
});

test("a run ends where a clip begins, unless it is short, and after six seconds", () => {
  const parts = partsOf(new Array<number>(12).fill(30));
  expect(lengthsOf(planRuns(parts, shared(1, [30, 60, 150]))).map((run) => run.length)).toEqual([6, 3, 2, 1]);
});

test("only what cannot be shared out in whole clips is split", () => {
  const clips = partsOf(new Array<number>(15).fill(30));
  const runs = lengthsOf(planRuns(clips, shared(2, [90, 180, 270, 360])));
  expect(runs.map((run) => run.length)).toEqual([3, 3, 3, 3, 1, 2]);
});

/** The time until all workers end, if each takes the next run when it is free, relative to perfect balance. */
function imbalance(clips: number, workers: number): number {
  const lengths = Array.from({ length: clips }, () => [30, 30, 30]).flat();
  const clipStarts = Array.from({ length: clips }, (_, index) => index * 90);
  const free = new Array<number>(workers).fill(0);
  for (const run of lengthsOf(planRuns(partsOf(lengths), shared(workers, clipStarts)))) {
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
  expect(lengthsOf(planRuns(partsOf([15, 15, 15]), shared(1)))).toEqual([[15], [15], [15]]);
});
