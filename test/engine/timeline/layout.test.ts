import { expect, test } from "bun:test";
import fc from "fast-check";
import { layOutClips } from "../../../src/engine/timeline/layout.ts";
import type { Clip, Span } from "../../../src/engine/timeline/track.ts";
import { videoSource } from "../../support/media/draw-media.ts";
import { clip, transitionInto } from "../../support/media/timelines.ts";

const a = videoSource("a");
const b = videoSource("b");
const c = videoSource("c");

/** As "a 0-10", "a>b 10-15 of 10-20" and "- 20-30". */
const describeSpan = (span: Span): string => {
  const range = `${span.range.start}-${span.range.end}`;
  if (span.kind === "gap") return `- ${range}`;
  if (span.kind === "clip") return `${span.clip.source.file} ${range}`;
  return `${span.from.source.file}>${span.to.source.file} ${range} of ${span.whole.start}-${span.whole.end}`;
};
const spansOf = (...clips: Clip[]) => layOutClips(clips).track.spans.map(describeSpan);

test("clips follow each other and gaps are spans of their own", () => {
  expect(spansOf(clip(a, 5, 10), clip(b, 10, 20), clip(c, 25, 30))).toEqual([
    "- 0-5",
    "a 5-10",
    "b 10-20",
    "- 20-25",
    "c 25-30",
  ]);
});

test("a transition plays from the next clip's start and moves no clip", () => {
  expect(spansOf(clip(a, 0, 10, transitionInto("fade", 4)), clip(b, 10, 20))).toEqual([
    "a 0-10",
    "a>b 10-14 of 10-14",
    "b 14-20",
  ]);
});

test("a transition is no longer than either clip", () => {
  expect(spansOf(clip(a, 0, 3, transitionInto("fade", 9)), clip(b, 3, 20))).toEqual([
    "a 0-3",
    "a>b 3-6 of 3-6",
    "b 6-20",
  ]);
  expect(spansOf(clip(a, 0, 10, transitionInto("fade", 9)), clip(b, 10, 12))).toEqual(["a 0-10", "a>b 10-12 of 10-12"]);
});

test("a transition between overlapping clips lasts for the overlap", () => {
  expect(spansOf(clip(a, 0, 10, transitionInto("wipeleft", 2)), clip(b, 7, 20))).toEqual([
    "a 0-7",
    "a>b 7-10 of 7-10",
    "b 10-20",
  ]);
});

test("an overlap with a cut shows the clip that starts later", () => {
  expect(spansOf(clip(b, 7, 20), clip(a, 0, 10))).toEqual(["a 0-7", "b 7-20"]);
});

test("a transition ends before the clip after the next one starts", () => {
  expect(spansOf(clip(a, 0, 10, transitionInto("fade", 9)), clip(b, 4, 12), clip(c, 6, 20))).toEqual([
    "a 0-4",
    "a>b 4-6 of 4-6",
    "c 6-20",
  ]);
});

test("a clip that is covered on all its frames has no transition; the clip on top has one", () => {
  const covered = clip(a, 0, 10, transitionInto("fade", 4));
  expect(spansOf(covered, clip(b, 0, 10, transitionInto("wipeup", 2)), clip(c, 10, 20))).toEqual([
    "b 0-10",
    "b>c 10-12 of 10-12",
    "c 12-20",
  ]);
});

test("a transition of no frames is a cut", () => {
  expect(spansOf(clip(a, 0, 10, transitionInto("fade", 0)), clip(b, 10, 20))).toEqual(["a 0-10", "b 10-20"]);
});

test("a transition before a gap is ignored and reported", () => {
  const beforeGap = clip(a, 0, 10, transitionInto("fade", 4));
  const { track, ignoredTransitions } = layOutClips([beforeGap, clip(b, 11, 20)]);
  expect(track.spans.map(describeSpan)).toEqual(["a 0-10", "- 10-11", "b 11-20"]);
  expect(ignoredTransitions).toEqual([{ clip: beforeGap, reason: "gap" }]);
});

test("the last clip's transition is ignored and not reported", () => {
  expect(layOutClips([clip(a, 0, 10, transitionInto("fade", 4))]).ignoredTransitions).toEqual([]);
});

test("a clip inside another is on top, and the other continues after it", () => {
  expect(spansOf(clip(b, 4, 6, transitionInto("fade", 5)), clip(a, 0, 10))).toEqual(["a 0-4", "b 4-6", "a 6-10"]);
});

test("if two clips have the same range, the later one in the list is visible", () => {
  expect(spansOf(clip(a, 0, 10), clip(b, 0, 10))).toEqual(["b 0-10"]);
});

test("a clip inside another covers a part of a transition", () => {
  expect(spansOf(clip(a, 0, 10, transitionInto("fade", 6)), clip(b, 10, 30), clip(c, 12, 14))).toEqual([
    "a 0-10",
    "a>b 10-12 of 10-16",
    "c 12-14",
    "a>b 14-16 of 10-16",
    "b 16-30",
  ]);
});

test("no clips make an empty track", () => {
  expect(layOutClips([])).toEqual({ track: { frames: 0, spans: [] }, ignoredTransitions: [] });
});

test("spans cover every frame exactly once for any clips", () => {
  const anyClip = fc
    .record({ start: fc.nat(40), length: fc.integer({ min: 1, max: 30 }), blend: fc.nat(12) })
    .map(({ start, length, blend }) =>
      clip(a, start, start + length, transitionInto(blend > 0 ? "fade" : "cut", blend)),
    );
  fc.assert(
    fc.property(fc.array(anyClip, { minLength: 1, maxLength: 8 }), (clips) => {
      const { frames, spans } = layOutClips(clips).track;
      expect(spans.map(({ range }) => range.start)).toEqual([0, ...spans.slice(0, -1).map(({ range }) => range.end)]);
      expect(spans.at(-1)!.range.end).toBe(frames);
      expect(spans.every(({ range }) => range.end > range.start)).toBe(true);
    }),
  );
});
