import { expect, test } from "bun:test";
import fc from "fast-check";
import { runsOf } from "../../../src/engine/motion/runs.ts";
import { stateOn } from "../../../src/engine/motion/state.ts";
import type { HtmlContent, LottieContent, Overlay, Stretch } from "../../../src/engine/timeline/overlay.ts";
import type { Source } from "../../../src/engine/timeline/source.ts";

const rate = { num: 10, den: 1 };
const box = { x: 0, y: 0, width: 10, height: 10 };

const overlay = (content: Overlay["content"], frames = 40): Overlay => ({
  ...{ range: { start: 0, end: frames }, content, opacity: 1, rotationDegrees: 0 },
  ...{ animateIn: "none", animateOut: "none" },
});

const card = (moments: readonly Stretch[]): HtmlContent => ({
  ...{ kind: "html", html: "", css: "", box, fitsText: false, images: {}, fonts: {}, moments, renderer: "" },
});

const animation = (rest: Partial<LottieContent>): LottieContent => ({
  // safe because its source is not read
  ...{ kind: "lottie", source: {} as Source, box, fit: "contain", frameRate: 20, from: 0, to: 30, repeats: false },
  ...{ colors: {}, texts: {} },
  ...rest,
});

const statesOf = (layer: Overlay, run: { start: number; end: number }) =>
  Array.from({ length: run.end - run.start }, (_, at) => JSON.stringify(stateOn(layer, run.start + at, rate)));

test("a card moves while its animations run, and is one picture before, between and after them", () => {
  const layer = overlay(
    card([
      { from: 0.5, to: 1 },
      { from: 2, to: 2.5 },
    ]),
  );
  expect(runsOf(layer, rate).map(({ start, end, isMoving }) => [start, end, isMoving])).toEqual([
    [0, 5, false],
    [5, 10, true],
    [10, 20, false],
    [20, 25, true],
    [25, 40, false],
  ]);
  const times = runsOf(layer, rate).map((run) => new Set(statesOf(layer, run)).size);
  expect(times).toEqual([1, 5, 1, 5, 1]);
});

test("a card without animations is one picture, one with an endless one never rests", () => {
  expect(runsOf(overlay(card([])), rate)).toMatchObject([{ start: 0, end: 40, isMoving: false }]);
  expect(runsOf(overlay(card([{ from: 0 }])), rate)).toMatchObject([{ start: 0, end: 40, isMoving: true }]);
});

test("a Lottie animation shows its time at the beginning of a frame, and holds its last frame", () => {
  const frameOn = (frame: number, rest: Partial<LottieContent> = {}) => {
    const content = stateOn(overlay(animation(rest)), frame, rate)?.content;
    return content?.kind === "lottie" ? content.frame : undefined;
  };
  expect([0, 1, 14, 15, 39].map((frame) => frameOn(frame))).toEqual([0, 2, 28, 29, 29]);
  expect([0, 14, 15, 16].map((frame) => frameOn(frame, { repeats: true }))).toEqual([0, 28, 0, 2]);
  expect(frameOn(39, { from: 5, to: 9 })).toBe(8);
});

test("layers at rest look the same on all frames", () => {
  const moments = fc
    .array(fc.tuple(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 100 })), { maxLength: 3 })
    .map((parts) => {
      let end = 0;
      return parts.map(([gap, length]) => {
        const from = end + (gap + 11) / 100;
        end = from + length / 100;
        return { from, to: end };
      });
    });
  fc.assert(
    fc.property(moments, fc.integer({ min: 1, max: 60 }), (found, frameRate) => {
      for (const content of [card(found), animation({ frameRate })]) {
        const layer = overlay(content, 100);
        for (const run of runsOf(layer, rate)) {
          if (!run.isMoving) expect(new Set(statesOf(layer, run)).size).toBe(1);
        }
      }
    }),
    { numRuns: 100 },
  );
});
