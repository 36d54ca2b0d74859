import { expect, test } from "bun:test";
import fc from "fast-check";
import { toSceneIndexes, toSceneNumbers } from "../../../src/domain/works/scene-indexes.ts";

const scene = (scene_index: number) => ({
  ...{ scene_index, duration_seconds: 2, transition: "cut" },
  ...{ image_prompt: "", negative_prompt: "", video_prompt: "" },
});
const work = (sceneNumbers: readonly number[], generatedNumbers: readonly number[]) => ({
  scenes: sceneNumbers.map(scene),
  generatedScenes: generatedNumbers.map((sceneIndex) => ({ sceneIndex, status: "done" as const })),
});

test("scene numbers are places in the list of scenes", () => {
  expect(toSceneIndexes(work([0, 1], [0, 1]), [0, 1])).toEqual([0, 1]);
  expect(toSceneIndexes(work([7, 3], [0, 1]), [1, 0])).toEqual([1, 0]);
  expect(toSceneIndexes(work([], []), [1, 2])).toEqual([1, 2]);
});

test("a client that numbers everything from 1 means the place before", () => {
  expect(toSceneIndexes(work([1, 2], [1, 2]), [1, 2])).toEqual([0, 1]);
  expect(toSceneIndexes(work([1, 2, 3], [2]), [3])).toEqual([2]);
});

test.each([
  ["the scenes are numbered otherwise", work([1, 3], [1, 2])],
  ["an entry is numbered 0", work([1, 2], [0, 1])],
  ["nothing was generated", work([1, 2], [])],
])("a number stays a place if %s", (_, saved) => {
  expect(toSceneIndexes(saved, [1, 2])).toEqual([1, 2]);
});

test("a number stays a place beside a 0", () => {
  expect(toSceneIndexes(work([1, 2], [1, 2]), [0, 1])).toEqual([0, 1]);
});

test("places come back from the scene numbers that are written for them", () => {
  const numbers = fc.array(fc.nat(4), { maxLength: 4 });
  const first = fc.nat(1);
  const saved = fc.tuple(first, first, fc.nat(3)).map(([scenes, generated, count]) => {
    const from = (start: number) => Array.from({ length: count }, (_, place) => start + place);
    return work(from(scenes), from(generated));
  });
  fc.assert(
    fc.property(saved, numbers, (one, places) => {
      expect(toSceneIndexes(one, toSceneNumbers(one, places))).toEqual(places);
    }),
  );
});
