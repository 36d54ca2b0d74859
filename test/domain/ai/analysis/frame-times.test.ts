import { expect, test } from "bun:test";
import fc from "fast-check";
import { chooseFrameTimes } from "../../../../src/domain/ai/analysis/analyze.ts";

const scene = (startSeconds: number, endSeconds: number) => ({
  startSeconds,
  endSeconds,
  palette: [],
  motion: 0,
  brightness: 0.5,
});

/** Consecutive scenes of these durations. */
const scenesOf = (durations: readonly number[]) => {
  let end = 0;
  return durations.map((duration) => {
    end += duration;
    return scene(end - duration, end);
  });
};

test("every scene gives frames from its inside, long ones more than one", () => {
  const times = chooseFrameTimes({ scenes: scenesOf([1, 8, 2]) });

  expect(times).toEqual([0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5, 10.5]);
});

test("gives at most 24 frames, in order and not on a cut", () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0.05, max: 600, noNaN: true }), { minLength: 1, maxLength: 300 }),
      (durations) => {
        const scenes = scenesOf(durations);
        const times = chooseFrameTimes({ scenes });
        expect(times.length).toBeGreaterThanOrEqual(Math.min(24, scenes.length));
        expect(times.length).toBeLessThanOrEqual(24);
        expect(times).toEqual(times.toSorted((one, other) => one - other));
        const isInside = (time: number) =>
          scenes.some(({ startSeconds, endSeconds }) => time > startSeconds && time < endSeconds);
        expect(times.every(isInside)).toBe(true);
      },
    ),
  );
});
