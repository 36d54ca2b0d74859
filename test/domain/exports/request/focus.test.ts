import { expect, test } from "bun:test";
import { focusChoices } from "../../../../src/domain/exports/request/focus.ts";
import type { FocusShot } from "../../../../src/engine/timeline/focus.ts";
import type { Clip } from "../../../../src/engine/timeline/track.ts";
import { videoSource } from "../../../support/media/draw-media.ts";
import { clip, timeline } from "../../../support/media/timelines.ts";

const shot = (startSeconds: number, ...points: readonly (readonly [atSeconds: number, x: number])[]): FocusShot => ({
  startSeconds,
  reason: "motion",
  points: points.map(([atSeconds, x]) => ({ atSeconds, x, y: 0.5 })),
});

const track = [shot(0, [1, 0.2], [2, 0.4]), shot(2, [2, 0.9])];

const partsOf = (pace: Partial<Clip>) => {
  const only = clip(videoSource("film.mp4"), 0, 60, { sourceStartSeconds: 1, ...pace });
  const [choice] = focusChoices({ focus: [track], clips: [only], timeline: timeline([only]) });
  return choice!.parts.map(({ position, end, from, to }) => [position, end, from.x, to.x]);
};

test("what the frame follows is told on the timeline, at the clip's speed", () => {
  expect(partsOf({})).toEqual([
    [0, 1, 0.2, 0.4],
    [1, 2, 0.9, 0.9],
  ]);
  expect(partsOf({ speed: 2 })).toEqual([
    [0, 0.5, 0.2, 0.4],
    [0.5, 2, 0.9, 0.9],
  ]);
  const slowing = [
    { at: 0, value: 2, easing: "linear" },
    { at: 1, value: 0, easing: "linear" },
  ];
  // the second before the cut lasts until the picture stands still
  expect(partsOf({ speed: slowing })[0]!.slice(2)).toEqual([0.2, 0.4]);
});

test("backwards, the last shot comes first", () => {
  expect(partsOf({ reverses: true })).toEqual([
    [0, 1, 0.9, 0.9],
    [1, 2, 0.4, 0.2],
  ]);
});
