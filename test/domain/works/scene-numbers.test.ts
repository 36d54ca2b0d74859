import { expect, test } from "bun:test";
import { placesOf } from "../../../src/domain/works/scene-numbers.ts";

const scene = (scene_index: number) => ({
  ...{ scene_index, duration_seconds: 2, transition: "cut" },
  ...{ image_prompt: "", negative_prompt: "", video_prompt: "" },
});
const work = (sceneNumbers: readonly number[], generatedNumbers: readonly number[]) => ({
  scenes: sceneNumbers.map(scene),
  generatedScenes: generatedNumbers.map((sceneIndex) => ({ sceneIndex, status: "done" as const })),
});

test("scene numbers are places in the list of scenes", () => {
  expect(placesOf(work([0, 1], [0, 1]), [0, 1])).toEqual([0, 1]);
  expect(placesOf(work([7, 3], [0, 1]), [1, 0])).toEqual([1, 0]);
  expect(placesOf(work([], []), [1, 2])).toEqual([1, 2]);
});

test("a client that numbers everything from 1 means the place before", () => {
  expect(placesOf(work([1, 2], [1, 2]), [1, 2])).toEqual([0, 1]);
  expect(placesOf(work([1, 2, 3], [2]), [3])).toEqual([2]);
});

test.each([
  ["the scenes are numbered otherwise", work([1, 3], [1, 2])],
  ["an entry is numbered 0", work([1, 2], [0, 1])],
  ["nothing was generated", work([1, 2], [])],
])("a number stays a place if %s", (_, saved) => {
  expect(placesOf(saved, [1, 2])).toEqual([1, 2]);
});

test("a number stays a place beside a 0", () => {
  expect(placesOf(work([1, 2], [1, 2]), [0, 1])).toEqual([0, 1]);
});
