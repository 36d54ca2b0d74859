import { expect, test } from "bun:test";
import fc from "fast-check";
import { editListOf } from "../../../src/domain/timelines/edit-list.ts";
import { audioSource, imageSource } from "../../support/media/draw-media.ts";
import { clip, timeline } from "../../support/media/timelines.ts";

/** A film over one image, with music whose file has so many frames; undefined if it does not tell its length. */
const withMusic = (frames: number, fileFrames: number | undefined, loop: boolean) => {
  const source = audioSource("song", fileFrames === undefined ? {} : { durationSeconds: fileFrames / 30 });
  const music = { source, volume: 1, loop, fadeInFrames: 0, fadeOutFrames: 0 };
  return editListOf({
    name: "Film",
    timeline: timeline([clip(imageSource("picture"), 0, frames)], { sound: { pieces: [], music } }),
    scenes: [],
  });
};

const musicOf = ({ tracks }: ReturnType<typeof editListOf>) =>
  tracks.filter(({ name }) => name.startsWith("Music")).map(({ items }) => items);

test("music that repeats lies end to end on one track, the last repetition cut at the film's end", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 900 }), fc.integer({ min: 1, max: 400 }), (frames, fileFrames) => {
      const [items = [], ...others] = musicOf(withMusic(frames, fileFrames, true));
      expect(others).toEqual([]);
      expect(items.map((item) => (item.kind === "clip" ? item.range : undefined))).toEqual(
        Array.from({ length: Math.ceil(frames / fileFrames) }, (_, index) => ({
          start: index * fileFrames,
          end: Math.min(frames, (index + 1) * fileFrames),
        })),
      );
    }),
  );
});

test("music is there once if it does not repeat, or if its file does not tell its length", () => {
  for (const edit of [withMusic(90, 30, false), withMusic(90, undefined, true), withMusic(90, undefined, false)]) {
    expect(musicOf(edit).flatMap((items) => items.filter(({ kind }) => kind === "clip")).length).toBe(1);
  }
});

test("music of more than a thousand repetitions is there once, with a note", () => {
  const [edit, shorter] = [withMusic(432_000, 1, true), withMusic(1000, 1, true)];
  expect(musicOf(edit)[0]!.filter(({ kind }) => kind === "clip").length).toBe(1);
  expect(edit.lost.join(" ")).toContain("repeats 432000 times");
  expect(musicOf(shorter)[0]!.length).toBe(1000);
  expect(shorter.lost.join(" ")).not.toContain("repeats");
});
