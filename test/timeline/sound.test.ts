import { expect, test } from "bun:test";
import { soundPieces } from "../../src/timeline/sound.ts";
import { frameRateOf } from "../../src/timeline/time.ts";
import { type Clip, layTrack } from "../../src/timeline/track.ts";
import { imageSource, videoSource } from "../helpers/media.ts";
import { clip, over } from "../helpers/timelines.ts";

const rate = frameRateOf(30);
const [a, b] = [videoSource("a", { hasSound: true }), videoSource("b", { hasSound: true })];
const heard = (...clips: Clip[]) => soundPieces(layTrack(clips).track, rate);

test("a clip sounds for as long as it is seen", () => {
  expect(heard(clip(a, 3, 30, { sourceStartSeconds: 2, volume: 0.5 }))).toEqual([
    { source: a, range: { start: 3, end: 30 }, sourceStartSeconds: 2, volume: 0.5, fadeInFrames: 0, fadeOutFrames: 0 },
  ]);
});

test("sound crossfades with the picture", () => {
  const [leaving, coming] = heard(clip(a, 0, 30, over("fade", 6)), clip(b, 30, 60));
  expect(leaving).toMatchObject({ range: { start: 0, end: 36 }, fadeInFrames: 0, fadeOutFrames: 6 });
  expect(coming).toMatchObject({ range: { start: 30, end: 60 }, fadeInFrames: 6, fadeOutFrames: 0 });
});

test("a clip covered in its middle sounds before and after", () => {
  const pieces = heard(clip(a, 0, 90, { sourceStartSeconds: 1 }), clip(b, 30, 60));
  expect(pieces.map(({ source, range }) => [source.file, range.start, range.end])).toEqual([
    ["a", 0, 30],
    ["b", 30, 60],
    ["a", 60, 90],
  ]);
  expect(pieces[2]!.sourceStartSeconds).toBe(3);
});

test("images, silent videos and muted clips make no sound", () => {
  expect(
    heard(clip(imageSource("i"), 0, 9), clip(videoSource("silent"), 9, 18), clip(a, 18, 27, { volume: 0 })),
  ).toEqual([]);
});
