import { expect, test } from "bun:test";
import { footageTime, lottieFrame } from "../../../src/engine/motion/footage.ts";
import { videoSource } from "../../support/media/draw-media.ts";

const rate = 30;
const half = 0.5 / rate;
/** As states compute it: the middle of a frame less half a frame, which may lie below its beginning. */
const startOf = (frame: number) => (frame + 0.5) / rate - half;

test("a round of a video begins on the frame after its last one, however times are rounded", () => {
  const source = videoSource("film.mp4", { durationSeconds: 20 });
  const video = { source, sourceStartSeconds: 19, speed: 1, reverses: false, repeats: true, seconds: 10 };
  const shown = Array.from({ length: 300 }, (_, frame) =>
    footageTime(video, undefined, { seconds: startOf(frame), half }),
  );
  expect(shown.map((time) => Math.round((time - 19) * rate))).toEqual(shown.map((_, frame) => frame % 30));
  expect(Math.max(...shown)).toBeLessThan(20 - half);
});

test("a round of an animation begins on the frame after its last one, however times are rounded", () => {
  const animation = { frameRate: rate, from: 10, to: 40, repeats: true };
  const shown = Array.from({ length: 300 }, (_, frame) => lottieFrame(animation, startOf(frame)));
  expect(shown.map((frame) => Math.round(frame))).toEqual(shown.map((_, frame) => 10 + (frame % 30)));
});
