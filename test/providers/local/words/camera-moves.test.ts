import { expect, test } from "bun:test";
import { chooseCameraMove, findCameraMove } from "../../../../src/providers/local/words/camera-moves.ts";

test.each([
  ["The camera pushes in slowly.", "push_in"],
  ["Slow zoom out to reveal the street", "pull_out"],
  ["Dolly in on her face", "push_in"],
  ["The camera pans slowly to the left", "pan_left"],
  ["pan right across the table", "pan_right"],
  ["a slow pan from left to right", "pan_right"],
  ["The camera tilts up to the sky", "tilt_up"],
  ["crane down onto the product", "tilt_down"],
  ["She turns left. The camera pushes in.", "push_in"],
  ["drifting leftward", "pan_left"],
])("%s: %s", (text, move) => {
  expect(findCameraMove(text)).toBe(move as never);
});

test("chooses a move for a text without one, always the same", () => {
  const texts = Array.from({ length: 60 }, (_, index) => `Bread ${index}`);
  expect(findCameraMove("Bread")).toBeUndefined();
  expect(texts.map(chooseCameraMove)).toEqual(texts.map(chooseCameraMove));
  expect(new Set(texts.map(chooseCameraMove)).size).toBe(6);
});
