import { expect, test } from "bun:test";
import { moveFor, moveSaidIn } from "../../../src/ai/local/camera-moves.ts";

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
  expect(moveSaidIn(text)).toBe(move as never);
});

test("a text that asks for none gets one of its own, always the same", () => {
  const texts = Array.from({ length: 60 }, (_, index) => `Bread ${index}`);
  expect(moveSaidIn("Bread")).toBeUndefined();
  expect(texts.map(moveFor)).toEqual(texts.map(moveFor));
  expect(new Set(texts.map(moveFor)).size).toBe(6);
});
