import { expect, test } from "bun:test";
import { splitFrames } from "../../../src/engine/render/draw-frames.ts";

const frames = [0, 10, 20, 30, 40, 50, 60, 70];
const clipOf = (frame: number) => (frame < 30 ? "first" : "second");

test("frames are split for the cores where another clip begins", () => {
  expect(splitFrames(frames, { maxFrames: 16, groupOf: clipOf }, 4)).toEqual([
    [0, 10, 20],
    [30, 40, 50, 60, 70],
  ]);
});

test("a group of frames is split only if it is too large", () => {
  expect(splitFrames(frames, { maxFrames: 16, groupOf: () => "only" }, 4)).toEqual([frames]);
  expect(splitFrames(frames, { maxFrames: 5, groupOf: () => "only" }, 4)).toEqual([
    frames.slice(0, 5),
    frames.slice(5),
  ]);
});

test("no frames give no batches", () => {
  expect(splitFrames([], { maxFrames: 16, groupOf: clipOf }, 4)).toEqual([]);
});
