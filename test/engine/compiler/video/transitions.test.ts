import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { compileSegment } from "../../../../src/engine/compiler/compile.ts";
import type { Source } from "../../../../src/engine/timeline/source.ts";
import type { Timeline } from "../../../../src/engine/timeline/timeline.ts";
import { type TransitionKind, transitionKinds } from "../../../../src/engine/timeline/track.ts";
import {
  draw,
  drawColor,
  type GrayFrame,
  imageSource,
  levelAt,
  lumaFrames,
  videoSource,
} from "../../../support/media/draw-media.ts";
import { ffmpegs, runCommand, type TestFfmpeg, temporaryFolder, testedFfmpegs } from "../../../support/media/ffmpeg.ts";
import { clip, fastEncoding, sourcePaths, timeline, transitionInto } from "../../../support/media/timelines.ts";

const width = 64;
const height = 36;
const dark = 60;
const light = 200;
const black = 16;
const white = 235;

let folder: string;
let from: Source;
let to: Source;
let luma: Source;
beforeAll(async () => {
  folder = await temporaryFolder();
  const gray = (level: number) =>
    `0x${Math.round(((level - 16) * 255) / 219)
      .toString(16)
      .repeat(3)}`;
  from = videoSource(await drawColor(`${folder}/from.mp4`, gray(dark), 40));
  to = videoSource(await drawColor(`${folder}/to.mp4`, gray(light), 40));
  // darker to the left, and smaller than the canvas
  const ramp = "color=c=black:s=32x18,format=gray,geq=lum='255*X/31'";
  luma = imageSource(await draw(`${folder}/luma.png`, ramp, "-frames:v", "1"), { width: 32, height: 18 });
});
afterAll(() => rm(folder, { recursive: true }));

/** The luma of a transition at a pixel, for the progress 0..1. */
type Formula = (progress: number, x: number, y: number) => number;

const mix = (a: number, b: number, share: number) => a + (b - a) * share;
const fadeThrough =
  (color: number, turn = 0.5) =>
  (progress: number) =>
    progress < turn ? mix(dark, color, progress / turn) : mix(color, light, (progress - turn) / (1 - turn));
const fadeDuring = (start: number, end: number) => (progress: number) =>
  mix(dark, light, Math.min(1, Math.max(0, (progress - start) / (end - start))));
const levelOf = (isNew: boolean) => (isNew ? light : dark);

const wipes: Record<string, Formula> = {
  left: (progress, x) => levelOf(x >= width * (1 - progress)),
  right: (progress, x) => levelOf(x < width * progress),
  up: (progress, _, y) => levelOf(y >= height * (1 - progress)),
  down: (progress, _, y) => levelOf(y < height * progress),
};

const formulas: Partial<Record<TransitionKind, Formula>> = {
  fade: (progress) => mix(dark, light, progress),
  fadeblack: fadeThrough(black),
  fadewhite: fadeThrough(white),
  wipeleft: wipes.left,
  wiperight: wipes.right,
  wipeup: wipes.up,
  wipedown: wipes.down,
  // between two plain colors a slide looks like a wipe; a test below shows that the videos move
  slideleft: wipes.left,
  slideright: wipes.right,
  slideup: wipes.up,
  slidedown: wipes.down,
  "push-left": wipes.left,
  "push-right": wipes.right,
  "push-up": wipes.up,
  "push-down": wipes.down,
  // plain colors look alike turned and blurred
  spin: fadeDuring(0.4, 0.6),
  blur: fadeDuring(0.35, 0.65),
  flash: fadeThrough(white, 0.25),
};

/** The first `frames` frames of a transition that starts at frame 10. */
async function transitionFrames(ffmpeg: TestFfmpeg, edit: Timeline, frames: number): Promise<readonly GrayFrame[]> {
  return (await allFrames(ffmpeg, edit)).slice(10, 10 + frames);
}

async function allFrames(ffmpeg: TestFfmpeg, edit: Timeline): Promise<readonly GrayFrame[]> {
  const path = `${folder}/${ffmpeg.name}-export.mp4`;
  const range = { start: 0, end: edit.track.frames };
  const encoding = { ...fastEncoding, crf: 1 };
  await runCommand(ffmpeg, compileSegment({ timeline: edit, range, overlays: [], files: sourcePaths, encoding }, path));
  const shown = await lumaFrames(ffmpeg, path);
  expect(shown).toHaveLength(edit.track.frames);
  return shown;
}

const editWith = (kind: TransitionKind, frames: number) =>
  timeline([clip(from, 0, 10, { transition: { kind, frames, luma } }), clip(to, 10, 30)]);

const share = ({ levels }: GrayFrame) => levels.filter((level) => level > (dark + light) / 2).length / levels.length;

describe.each(testedFfmpegs.map((ffmpeg) => [ffmpeg.name, ffmpeg] as const))("with the %s ffmpeg", (_, ffmpeg) => {
  test.each(Object.entries(formulas) as [TransitionKind, Formula][])(
    "%s follows its formula on every frame",
    async (kind, formula) => {
      const lengths = [1, 2, 7];
      const pairs = lengths.flatMap((frames, at) => [
        clip(from, at * 20, at * 20 + 10, transitionInto(kind, frames)),
        clip(to, at * 20 + 10, at * 20 + 20),
      ]);
      const film = await allFrames(ffmpeg, timeline(pairs));
      for (const [at, frames] of lengths.entries()) {
        const shown = film.slice(at * 20 + 10, at * 20 + 10 + frames);
        for (const [index, frame] of shown.entries()) {
          const progress = (index + 0.5) / frames;
          for (const [x, y] of [
            [2, 2],
            [20, 10],
            [31, 17],
            [44, 30],
            [61, 33],
          ] as const) {
            // an edge may be one chroma block away, and encoding softens it
            const nearby = [-3, 0, 3].map((offset) => formula(progress, x + offset, y + offset));
            const level = levelAt(frame, x, y);
            expect(level).toBeGreaterThanOrEqual(Math.min(...nearby) - 4);
            expect(level).toBeLessThanOrEqual(Math.max(...nearby) + 4);
          }
        }
      }
    },
  );

  test("a slide moves the leaving video out", async () => {
    const half = `${folder}/half.mp4`;
    const drawing = `color=c=black:s=64x36:r=30:d=1,format=yuv420p,drawbox=x=32:y=0:w=32:h=36:c=white:t=fill`;
    const inputArgs = ["-f", "lavfi", "-i", drawing];
    await runCommand(ffmpeg, { inputArgs, graph: "", outputArgs: ["-y", half], writes: [half] });
    const edit = timeline([clip(videoSource(half), 0, 10, transitionInto("slideleft", 4)), clip(to, 10, 30)]);
    const [first] = await transitionFrames(ffmpeg, edit, 4);
    // at an eighth of the way the white half starts 8 pixels further left
    expect(levelAt(first!, 20, 18)).toBeLessThan(40);
    expect(levelAt(first!, 28, 18)).toBeGreaterThan(210);
  });

  test("dissolve shows the new video on a share of pixels equal to its progress", async () => {
    const shown = await transitionFrames(ffmpeg, editWith("dissolve", 8), 8);
    for (const [index, frame] of shown.entries()) {
      expect(Math.abs(share(frame) - (index + 0.5) / 8)).toBeLessThan(0.08);
    }
  });

  test.each(["circle-close", "diagonal", "blinds", "luma", "zoom"] as const)(
    "%s shows more of the new video with each frame, and nothing of it before and all of it after",
    async (kind) => {
      const film = await allFrames(ffmpeg, editWith(kind, 9));
      const shares = film.slice(9, 20).map(share);
      expect(shares).toEqual(shares.toSorted((a, b) => a - b));
      expect([shares[0], shares.at(-1)]).toEqual([0, 1]);
      expect(shares[6]).toBeGreaterThan(0.3);
      // soft edges begin outside of the picture; a film of its own shows the first frame of zoom
      const [before, early, late, after] = [9, 13, 16, 19].map((at) => film[at]!.levels);
      expect(early).not.toEqual(before!);
      expect(late).not.toEqual(after!);
    },
  );

  test("luma shows the new video first where its picture is dark", async () => {
    const middle = (await transitionFrames(ffmpeg, editWith("luma", 9), 9))[4]!;
    expect([6, 20].map((x) => Math.abs(levelAt(middle, x, 18) - light) < 6)).toEqual([true, true]);
    expect([44, 58].map((x) => Math.abs(levelAt(middle, x, 18) - dark) < 6)).toEqual([true, true]);
  });

  test("circle-close leaves the center for last", async () => {
    const middle = (await transitionFrames(ffmpeg, editWith("circle-close", 9), 9))[4]!;
    expect(levelAt(middle, 32, 18)).toBeLessThan(dark + 8);
    expect(levelAt(middle, 1, 1)).toBeGreaterThan(light - 8);
  });

  test("a transition that moves looks the same in a segment that shows a part of it", async () => {
    const picture = `${folder}/picture-${ffmpeg.name}.mp4`;
    await draw(picture, "testsrc=s=64x36:r=30:d=1,format=yuv420p", "-c:v", "libx264", "-qp", "0");
    for (const kind of ["zoom", "spin", "blur", "luma"] as const) {
      const edit = timeline([
        clip(videoSource(picture), 0, 12, { transition: { kind, frames: 9, luma } }),
        clip(videoSource(picture), 12, 30, { sourceStartSeconds: 0.2 }),
      ]);
      const whole = await allFrames(ffmpeg, edit);
      const path = `${folder}/${ffmpeg.name}-part.mp4`;
      const range = { start: 15, end: 20 };
      const encoding = { ...fastEncoding, crf: 1 };
      await runCommand(
        ffmpeg,
        compileSegment({ timeline: edit, range, overlays: [], files: sourcePaths, encoding }, path),
      );
      expect(whole[11]!.levels).not.toEqual(whole[12]!.levels);
      expect(whole[20]!.levels).not.toEqual(whole[21]!.levels);
      const part = await lumaFrames(ffmpeg, path);
      const worst = part.map((frame, index) =>
        frame.levels.reduce((sum, level, at) => Math.max(sum, Math.abs(level - whole[15 + index]!.levels[at]!)), 0),
      );
      expect({ kind, worst: Math.max(...worst) <= 4 ? "small" : worst }).toEqual({ kind, worst: "small" });
    }
  });

  test("circleopen grows from the center to the corners", async () => {
    const shown = await transitionFrames(ffmpeg, editWith("circleopen", 9), 9);
    const middle = shown[4]!;
    expect(levelAt(middle, 32, 18)).toBeGreaterThan(light - 8);
    for (const [x, y] of [
      [1, 1],
      [62, 1],
      [1, 34],
      [62, 34],
    ] as const)
      expect(levelAt(middle, x, y)).toBeLessThan(dark + 8);
    expect(levelAt(shown[0]!, 4, 4)).toBeLessThan(dark + 8);
    expect(levelAt(shown[8]!, 4, 4)).toBeGreaterThan(light - 20);
    const shares = shown.map(share);
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
  });
});

const [bundled] = ffmpegs();
const others = testedFfmpegs.filter(({ path }) => path !== bundled!.path);

test.skipIf(others.length === 0)("every kind renders the same frames as with the bundled ffmpeg", async () => {
  for (const kind of transitionKinds) {
    const wanted = await transitionFrames(bundled!, editWith(kind, 5), 5);
    for (const other of others) {
      const shown = await transitionFrames(other, editWith(kind, 5), 5);
      const differences = shown.map((frame, index) =>
        frame.levels.reduce((sum, level, at) => Math.max(sum, Math.abs(level - wanted[index]!.levels[at]!)), 0),
      );
      expect({ kind, worst: Math.max(...differences) <= 4 ? "small" : differences }).toEqual({ kind, worst: "small" });
    }
  }
});

test("a transition that another clip covers in the middle continues as if it had not been covered", async () => {
  const edit = timeline([
    clip(from, 0, 10, transitionInto("fade", 9)),
    clip(to, 10, 30),
    clip(from, 13, 15, { sourceStartSeconds: 0.5 }),
  ]);
  const shown = await transitionFrames(bundled!, edit, 9);
  const levels = shown.map((frame) => levelAt(frame, 31, 17));
  const expected = levels.map((_, index) => ([3, 4].includes(index) ? dark : mix(dark, light, (index + 0.5) / 9)));
  expect(levels.map((level, index) => Math.abs(level - expected[index]!) < 4)).toEqual(levels.map(() => true));
});
