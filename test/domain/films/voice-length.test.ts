import { expect, test } from "bun:test";
import fc from "fast-check";
import { sceneEnds } from "../../../src/domain/films/voice-length.ts";
import { sum } from "../../../src/platform/values.ts";

const seconds = fc.integer({ min: 50, max: 1_000 });
const times = fc.array(fc.record({ planned: seconds, needed: seconds }), { minLength: 1, maxLength: 40 });

const lengthsOf = (ends: readonly number[]) => ends.map((end, at) => end - (ends[at - 1] ?? 0));

test("no scene is shorter than its voice, nor longer than its scenario and its voice want it", () => {
  fc.assert(
    fc.property(times, (all) => {
      for (const [at, length] of lengthsOf(sceneEnds(all)).entries()) {
        const { planned, needed } = all[at]!;
        expect(length).toBeGreaterThanOrEqual(needed);
        expect(length).toBeLessThanOrEqual(Math.max(planned, needed));
      }
    }),
  );
});

test("the whole is as long as planned, unless its voices need more than that", () => {
  fc.assert(
    fc.property(times, (all) => {
      const [planned, needed] = [sum(all.map((time) => time.planned)), sum(all.map((time) => time.needed))];
      expect(sceneEnds(all).at(-1)).toBe(Math.max(planned, needed));
    }),
  );
});

test("cuts stay where the scenario puts them, as on the beats of music, up to a voice that is too long and again after it", () => {
  expect(sceneEnds([250, 250, 250, 250].map((planned) => ({ planned, needed: 150 })))).toEqual([250, 500, 750, 1000]);
  const long = [150, 320, 150, 150].map((needed) => ({ planned: 250, needed }));
  expect(sceneEnds(long)).toEqual([250, 570, 750, 1000]);
  // the last one takes from those before it
  expect(sceneEnds(long.slice(0, 2))).toEqual([180, 500]);
  expect(sceneEnds(long.slice(1, 2))).toEqual([320]);
});
