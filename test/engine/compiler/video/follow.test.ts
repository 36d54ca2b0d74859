import { expect, test } from "bun:test";
import { pathOf, positionIn, windowOf } from "../../../../src/engine/compiler/video/follow.ts";
import type { FocusShot } from "../../../../src/engine/timeline/focus.ts";
import type { Clip } from "../../../../src/engine/timeline/track.ts";
import { videoSource } from "../../../support/media/draw-media.ts";
import { clip } from "../../../support/media/timelines.ts";

const canvas = { width: 90, height: 160 };
const size = { width: 284, height: 160 };
const source = videoSource("a.mp4", { width: 1920, height: 1080 });
const shot = (startSeconds: number, ...points: readonly (readonly [atSeconds: number, x: number])[]): FocusShot => ({
  startSeconds,
  reason: "motion",
  points: points.map(([atSeconds, x]) => ({ atSeconds, x, y: 0.5 })),
});
const path = (track: readonly FocusShot[], cutFrom = 0) =>
  pathOf({
    clip: clip(source, 50, 110, { sourceStartSeconds: cutFrom }),
    ...{ track, canvas, size, rate: { num: 30, den: 1 }, toleranceSeconds: 0.00001 },
  });
const xs = (track: readonly FocusShot[], cutFrom?: number) => path(track, cutFrom).map(({ frame, x }) => [frame, x]);

test("the canvas moves between the points of a shot, and stays inside the frame", () => {
  expect(xs([shot(0, [0.5, 0], [1, 0.5], [1.5, 1])])).toEqual([
    [0, 0],
    [15, 0],
    [30, 98],
    [45, 194],
    [60, 194],
  ]);
});

test("it jumps at the first frame that shows the next shot", () => {
  const track = [shot(0, [0, 0.2]), shot(0.52, [0.52, 0.8])];
  expect(xs(track)).toEqual([
    [0, 12],
    [16, 12],
    [16, 182],
    [60, 182],
  ]);
  // the clip begins later in the source, or after the cut
  expect(xs(track, 0.5).map(([frame]) => frame)).toEqual([0, 1, 1, 60]);
  expect(xs(track, 1)).toEqual([
    [0, 182],
    [60, 182],
  ]);
});

/** The value of an expression of ffmpeg at a frame. */
const valueAt = (expression: string, frame: number): number =>
  new Function("n", "floor", "gte", "clip", `return ${expression}`)(
    frame,
    Math.floor,
    (a: number, b: number) => (a >= b ? 1 : 0),
    (value: number, low: number, high: number) => Math.min(high, Math.max(low, value)),
  );

test("a frame has one place, from whichever frame a part of the clip begins", () => {
  const positions = path([shot(0, [0.1, 0.13], [0.9, 0.71], [1.2, 0.4]), shot(1.31, [1.31, 0.9], [1.9, 0.33])]);
  const window = windowOf(positions, canvas);
  const placeAt = (start: number, frame: number) =>
    valueAt(positionIn(positions, window, { start, end: 60 }).x, frame - start);
  for (let frame = 0; frame < 60; frame++) {
    const whole = placeAt(0, frame);
    expect(Array.from({ length: frame + 1 }, (_, start) => placeAt(start, frame))).toEqual(
      Array(frame + 1).fill(whole),
    );
    expect(whole % 2 === 0 && whole >= 0 && whole + canvas.width <= window.width).toBe(true);
  }
});

test("a focus that stays needs no expression", () => {
  const positions = path([shot(0, [0, 0.3])]);
  expect(positionIn(positions, windowOf(positions, canvas), { start: 0, end: 60 })).toEqual({ x: "0", y: "0" });
});

test("a clip at another pace follows on its own clock, and jumps where it crosses a cut", () => {
  const track = [shot(0, [0, 0.2], [0.5, 0.4]), shot(1, [1, 0.8])];
  const paced = (pace: Partial<Clip>) =>
    pathOf({
      clip: clip(source, 50, 80, pace),
      ...{ track, canvas, size, rate: { num: 30, den: 1 }, toleranceSeconds: 0.00001 },
    });
  const jumpsIn = (positions: ReturnType<typeof paced>) =>
    positions.filter(({ frame }, index) => positions[index - 1]?.frame === frame).map(({ frame }) => frame);
  expect(jumpsIn(paced({ speed: 2 }))).toEqual([15]);
  expect(jumpsIn(paced({ speed: 2, reverses: true }))).toEqual([15]);
  expect(
    jumpsIn(
      paced({
        speed: [
          { at: 0, value: 0, easing: "linear" },
          { at: 1, value: 2, easing: "linear" },
        ],
      }),
    ),
  ).toEqual([30]);
  const middle = paced({ speed: 0.5 }).find(({ frame }) => frame === 15);
  expect(middle?.x).toBe(2 * Math.round((0.3 * size.width - canvas.width / 2) / 2));
});
