import { expect, test } from "bun:test";
import { onBeats } from "../../../../src/domain/films/steps/beats.ts";
import type { WorkMedia } from "../../../../src/domain/works/media.ts";

const clips = [4, 8, 12].map((end, workIndex) => ({ workIndex, start: end - 4, end }));

const voice = (index: number, durationSeconds: number) =>
  ({ slot: `scene/${index}/voice`, file: { facts: { durationSeconds } } }) as unknown as WorkMedia;

type Snapping = Partial<Parameters<typeof onBeats>[2]>;

const ends = (beats: readonly number[], media: readonly WorkMedia[] = [], snapping: Snapping = {}) =>
  onBeats(clips, beats, { media, scenes: [], movesEnd: true, ...snapping }).map(({ start, end }) => [start, end]);

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

test("no scene becomes shorter than its voice", () => {
  const [, second] = ends([4.3, 7.8, 8.2], [voice(1, 3.6)]);
  expect(second![0]).toBe(4.3);
  expect(second![1]! - second![0]!).toBeGreaterThanOrEqual(3.6);
});

test("no scene becomes shorter than its words take, and the film keeps its end unless it may move", () => {
  const words = Array.from({ length: 9 }, () => "words").join(" ");
  const prompts = { image_prompt: "", negative_prompt: "", video_prompt: "", transition: "" };
  const scenes = [{ ...prompts, scene_index: 0, duration_seconds: 4, text_overlay: words }];
  // three words a second, and the time in which they come and leave
  expect(ends([3.75, 11.9], [], { scenes, movesEnd: false })).toEqual([
    [0, 4],
    [4, 8],
    [8, 12],
  ]);
  expect(ends([3.85, 11.9], [], { scenes })).toEqual([
    [0, 3.85],
    [3.85, 8],
    [8, 11.9],
  ]);
});
