import { expect, test } from "bun:test";
import fc from "fast-check";
import { clipSecondsAt, clipTime, playedUntil, sourceSecondsAt } from "../../../src/engine/motion/clip-time.ts";
import { valueAt } from "../../../src/engine/motion/keyframes.ts";
import type { Keyframe } from "../../../src/engine/timeline/motion.ts";
import { videoSource } from "../../support/media/draw-media.ts";
import { clip } from "../../support/media/timelines.ts";

const rate = { num: 30, den: 1 };
const source = videoSource("film.mp4");
const key = (at: number, value: number, easing = "linear"): Keyframe<number> => ({ at, value, easing });

const speeds = fc
  .array(
    fc.record({
      after: fc.constantFrom(0, 0.25, 0.7, 2),
      value: fc.constantFrom(0, 0.3, 1, 2.5, 10),
      easing: fc.constantFrom("linear", "step", "in-out-cubic", "out-back"),
    }),
    { minLength: 1, maxLength: 6 },
  )
  .map((steps) => {
    let at = 0;
    return steps.map(({ after, value, easing }) => {
      at += after;
      return key(at, value, easing);
    });
  });

test("what is played is the integral of the speed", () => {
  fc.assert(
    fc.property(speeds, fc.double({ min: 0, max: 8, noNaN: true }), (keyframes, until) => {
      const steps = 20_000;
      let sum = 0;
      for (let step = 0; step < steps; step++) {
        const speed = valueAt(keyframes, ((step + 0.5) * until) / steps);
        sum += (Math.min(10, Math.max(0, speed)) * until) / steps;
      }
      expect(Math.abs(playedUntil(keyframes, until) - sum)).toBeLessThan(0.01);
    }),
    { numRuns: 40 },
  );
});

test("ramps and jumps are exact", () => {
  const keyframes = [key(1, 1), key(2, 3), key(2, 0), key(3, 0), key(3, 2)];
  expect([0.5, 1, 2, 2.5, 3, 4].map((at) => playedUntil(keyframes, at))).toEqual([0.5, 1, 3, 3, 3, 5]);
});

test("a clip backwards mirrors the clip forwards, frame by frame", () => {
  const shown = (more: object) => {
    const played = clip(source, 10, 40, { sourceStartSeconds: 2, ...more });
    return Array.from({ length: 30 }, (_, frame) => Math.round(clipTime(played, frame, rate) * 1e6));
  };
  expect(shown({ reverses: true })).toEqual(shown({}).toReversed());
  expect(shown({ reverses: true, speed: 2.5 })).toEqual(shown({ speed: 2.5 }).toReversed());
});

test("the second of a clip at which a second of its source is heard", () => {
  fc.assert(
    fc.property(speeds, fc.boolean(), fc.double({ min: 0, max: 4, noNaN: true }), (speed, reverses, at) => {
      const played = clip(source, 0, 120, { sourceStartSeconds: 1, speed, reverses });
      const heard = sourceSecondsAt(played, at, rate);
      const found = clipSecondsAt(played, heard, rate);
      expect(Math.abs(sourceSecondsAt(played, found, rate) - heard)).toBeLessThan(1e-5);
      expect(found).toBeLessThanOrEqual(at + 1e-5);
    }),
  );
});
