import { expect, test } from "bun:test";
import { layOutClips } from "../../../src/engine/timeline/layout.ts";
import { soundPieces } from "../../../src/engine/timeline/sound.ts";
import { frameRateOf } from "../../../src/engine/timeline/time.ts";
import type { Clip } from "../../../src/engine/timeline/track.ts";
import { imageSource, videoSource } from "../../support/media/draw-media.ts";
import { clip, transitionInto } from "../../support/media/timelines.ts";

const rate = frameRateOf(30);
const a = videoSource("a", { hasSound: true });
const b = videoSource("b", { hasSound: true });
const piecesOf = (...clips: Clip[]) => soundPieces(layOutClips(clips).track, rate);

test("a clip sounds while it is visible", () => {
  expect(piecesOf(clip(a, 3, 30, { sourceStartSeconds: 2, volume: 0.5 }))).toEqual([
    {
      ...{
        source: a,
        range: { start: 3, end: 30 },
        sourceStartSeconds: 2,
        volume: 0.5,
        fadeInFrames: 0,
        fadeOutFrames: 0,
      },
      softEdges: { start: true, end: true },
    },
  ]);
});

test("sound crossfades during a transition", () => {
  const [leaving, entering] = piecesOf(clip(a, 0, 30, transitionInto("fade", 6)), clip(b, 30, 60));
  expect(leaving).toMatchObject({ range: { start: 0, end: 36 }, fadeInFrames: 0, fadeOutFrames: 6 });
  expect(entering).toMatchObject({ range: { start: 30, end: 60 }, fadeInFrames: 6, fadeOutFrames: 0 });
});

test("a clip that is covered in the middle sounds before and after", () => {
  const pieces = piecesOf(clip(a, 0, 90, { sourceStartSeconds: 1 }), clip(b, 30, 60));
  expect(pieces.map(({ source, range }) => [source.file, range.start, range.end])).toEqual([
    ["a", 0, 30],
    ["b", 30, 60],
    ["a", 60, 90],
  ]);
  expect(pieces[2]!.sourceStartSeconds).toBe(3);
});

test("images, silent videos and muted clips have no sound", () => {
  expect(
    piecesOf(clip(imageSource("i"), 0, 9), clip(videoSource("silent"), 9, 18), clip(a, 18, 27, { volume: 0 })),
  ).toEqual([]);
});

test("pieces have soft edges, except where one continues another", () => {
  const whole = clip(a, 0, 30);
  const next = clip(a, 30, 60, { sourceStartSeconds: 1 });
  const edges = (...clips: Clip[]) => piecesOf(...clips).map(({ softEdges }) => softEdges);
  expect(edges(whole, next)).toEqual([
    { start: true, end: false },
    { start: false, end: true },
  ]);
  const hard = { start: true, end: true };
  expect(edges(whole, { ...next, sourceStartSeconds: 1.5 })).toEqual([hard, hard]);
  expect(edges(whole, { ...next, volume: 0.5 })).toEqual([hard, hard]);
  expect(edges(whole, { ...next, source: b })).toEqual([hard, hard]);
});
