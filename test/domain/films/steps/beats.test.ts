import { expect, test } from "bun:test";
import { onBeats } from "../../../../src/domain/films/steps/beats.ts";
import type { WorkMedia } from "../../../../src/domain/works/media.ts";

const clips = [4, 8, 12].map((end, workIndex) => ({ workIndex, start: end - 4, end }));

const voice = (index: number, durationSeconds: number) =>
  ({ slot: `scene/${index}/voice`, file: { facts: { durationSeconds } } }) as unknown as WorkMedia;

type Snapping = Partial<Parameters<typeof onBeats>[2]>;

const ends = (beats: readonly number[], media: readonly WorkMedia[] = [], snapping: Snapping = {}) =>
  onBeats(clips, beats, { media, words: [], movesEnd: true, ...snapping }).map(({ start, end }) => [start, end]);

test("scenes end on the nearest beat within 0.3 seconds, and begin where the one before ends", () => {
  expect(ends([0.2, 3.8, 4.1, 7.7, 8.25, 12.31])).toEqual([
    [0, 4.1],
    [4.1, 8.25],
    [8.25, 12],
  ]);
  expect(ends([])).toEqual([
    [0, 4],
    [4, 8],
    [8, 12],
  ]);
});

test("no scene becomes shorter than its voice, and as many as can end on a beat", () => {
  // from 4.3 on, the voice of the second scene would end after 8.2
  expect(ends([4.3, 7.8, 8.2], [voice(1, 3.6)])).toEqual([
    [0, 4],
    [4, 8.2],
    [8.2, 12],
  ]);
});

test("no scene becomes shorter than its words take, and the film keeps its end unless it may move", () => {
  const words = [3.78];
  expect(ends([3.75, 11.9], [], { words, movesEnd: false })).toEqual([
    [0, 4],
    [4, 8],
    [8, 12],
  ]);
  expect(ends([3.85, 11.9], [], { words })).toEqual([
    [0, 3.85],
    [3.85, 8],
    [8, 11.9],
  ]);
});
