import { describe, expect, test } from "bun:test";
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

const shared = (workers: number) => ({ workers, canShareEncoder: true, maxFrames: 180 });

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

test("an encoder goes on only while parts are adjacent and no longer than the first", () => {
  const [first, second, third, ...others] = partsOf([30, 30, 12, 30, 30, 25, 25]);
  const [, fifth, sixth, seventh] = others;
  const runs = lengthsOf(planRuns([first!, second!, third!, fifth!, sixth!, seventh!], shared(1)));
  expect(runs.toSorted()).toEqual([[25], [30, 25], [30, 30, 12]]);
});

test("each part has its own run if encoders cannot be shared", () => {
  const parts = partsOf([30, 30, 30]);
  expect(lengthsOf(planRuns(parts, { ...shared(2), canShareEncoder: false }))).toEqual([[30], [30], [30]]);
});

test("a single worker splits no row, unless it is long", () => {
  const rows = [...new Array<number>(5).fill(30), 15];
  expect(lengthsOf(planRuns(partsOf(rows), shared(1)))).toEqual([rows]);
  expect(lengthsOf(planRuns(partsOf([...rows, 30]), { ...shared(1), maxFrames: 90 }))).toEqual([
    [30, 30, 30],
    [30, 30, 15],
    [30],
  ]);
});

/** The time until all workers end, if each takes the next run when it is free, relative to perfect balance. */
function imbalance(lengths: readonly number[], workers: number): number {
  const free = new Array<number>(workers).fill(0);
  for (const run of lengthsOf(planRuns(partsOf(lengths), shared(workers)))) {
    const next = free.indexOf(Math.min(...free));
    free[next]! += run.reduce((sum, frames) => sum + frames, 0);
  }
  const frames = lengths.reduce((sum, length) => sum + length, 0);
  return Math.max(...free) / (frames / workers);
}

describe("workers end together", () => {
  const clipsOf = (count: number) => Array.from({ length: count }, () => [30, 30, 30]).flat();
  test.each([
    ["6 s", clipsOf(2), 2, 1],
    ["15 s", clipsOf(5), 2, 1.07],
    ["15 s", clipsOf(5), 4, 1.07],
    ["30 s", clipsOf(10), 2, 1],
    ["30 s", clipsOf(10), 8, 1.07],
    ["30 s", clipsOf(10), 16, 1.07],
  ])("%s on %#", (_, lengths, workers, most) => {
    expect(imbalance(lengths, workers)).toBeLessThanOrEqual(most);
  });
});
