import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { compileSegment, compileTasks } from "../../../../src/engine/compiler/compile.ts";
import { compileFrames } from "../../../../src/engine/compiler/frames.ts";
import { clipTime } from "../../../../src/engine/motion/clip-time.ts";
import type { Keyframe } from "../../../../src/engine/timeline/motion.ts";
import type { Source } from "../../../../src/engine/timeline/source.ts";
import type { FrameRange } from "../../../../src/engine/timeline/time.ts";
import type { Timeline } from "../../../../src/engine/timeline/timeline.ts";
import type { Clip } from "../../../../src/engine/timeline/track.ts";
import { drawNumbers, lumaFrames, numberOn, smallCanvas, videoSource } from "../../../support/media/draw-media.ts";
import { runCommand, type TestFfmpeg, temporaryFolder, testedFfmpegs } from "../../../support/media/ffmpeg.ts";
import { clip, fastEncoding, sourcePaths, timeline, transitionInto } from "../../../support/media/timelines.ts";

const sourceFrames = 200;

let folder: string;
let source: Source;
beforeAll(async () => {
  folder = await temporaryFolder();
  const path = await drawNumbers(`${folder}/numbers.mp4`, { first: 0, frames: sourceFrames });
  source = videoSource(path, { durationSeconds: sourceFrames / 30 }, { frameRate: 30 });
});
afterAll(() => rm(folder, { recursive: true }));

const key = (at: number, value: number, easing: Keyframe<number>["easing"] = "linear"): Keyframe<number> => ({
  at,
  value,
  easing,
});

async function numbersOf(ffmpeg: TestFfmpeg, edit: Timeline, range: FrameRange): Promise<readonly number[]> {
  const path = `${folder}/${ffmpeg.name}-segment.mp4`;
  const request = { timeline: edit, range, overlays: [], files: sourcePaths, encoding: fastEncoding };
  await runCommand(ffmpeg, compileSegment(request, path));
  return (await lumaFrames(ffmpeg, path)).map(numberOn);
}

/** The frames of the source that a clip shows: the last one at or before the second that it plays. */
const wantedOf = (shown: Clip, { start, end }: FrameRange) =>
  Array.from({ length: end - start }, (_, index) => {
    const seconds = clipTime(shown, start + index - shown.range.start, { num: 30, den: 1 });
    return Math.min(sourceFrames - 1, Math.max(0, Math.floor(seconds * 30 + 0.001)));
  });

const paces: readonly (readonly [string, Partial<Clip>])[] = [
  ["a speed of 2", { speed: 2 }],
  ["a speed of 1.25", { speed: 1.25, sourceStartSeconds: 1 }],
  ["a speed of 10", { speed: 10 }],
  ["a speed of a tenth", { speed: 0.1, sourceStartSeconds: 2.5 }],
  ["a third", { speed: 1 / 3 }],
  ["backwards", { reverses: true, sourceStartSeconds: 2 }],
  ["backwards, faster than the source lasts", { reverses: true, speed: 5 }],
  ["a freeze", { speed: [key(0, 1), key(0.5, 1), key(0.5, 0)] }],
  ["a ramp", { speed: [key(0, 1), key(1, 3), key(1.2, 0.5)], sourceStartSeconds: 1.5 }],
  ["an eased ramp", { speed: [key(0, 0.2), key(1, 4, "in-out-cubic")] }],
  ["a ramp backwards", { speed: [key(0, 1), key(1, 3), key(1.2, 0)], reverses: true, sourceStartSeconds: 0.5 }],
];

describe.each(testedFfmpegs.map((ffmpeg) => [ffmpeg.name, ffmpeg] as const))("with the %s ffmpeg", (_, ffmpeg) => {
  test.each(paces)("%s shows the frames of its own clock, whatever part is rendered", async (_name, pace) => {
    const only = clip(source, 0, 45, pace);
    const edit = timeline([only]);
    for (const range of [
      { start: 0, end: 45 },
      { start: 17, end: 31 },
    ])
      expect(await numbersOf(ffmpeg, edit, range)).toEqual(wantedOf(only, range));
  });

  test.each(paces)("%s: single frames are those of the segment", async (_name, pace) => {
    const only = clip(source, 3, 48, pace);
    const frames = [3, 4, 20, 21, 47];
    const output = `${folder}/frames.raw`;
    const request = { timeline: timeline([only]), frames, overlays: [], files: sourcePaths, threads: 1 };
    await runCommand(ffmpeg, compileFrames({ ...request, size: smallCanvas }, output));
    const bytes = await Bun.file(output).bytes();
    const plane = smallCanvas.width * smallCanvas.height;
    const shown = frames.map((_frame, index) => {
      const levels = Uint8Array.from({ length: plane }, (_level, pixel) => bytes[3 * (index * plane + pixel)]!);
      return numberOn({ ...smallCanvas, levels });
    });
    expect(shown).toEqual(frames.map((frame) => wantedOf(only, { start: frame, end: frame + 1 })[0]!));
  });

  test.each(["24000/1001", "25", "60"])(
    "a source of %p frames per second shows the frames of its own clock",
    async (rate) => {
      const [num, den = 1] = rate.split("/").map(Number);
      const fps = num! / den;
      const path = await drawNumbers(`${folder}/numbers-${num}.mkv`, { first: 0, frames: sourceFrames, rate });
      // the clock of the file has milliseconds
      const times = Array.from({ length: sourceFrames }, (_, frame) => Math.round((frame / fps) * 1000) / 1000);
      const facts = { durationSeconds: sourceFrames / fps, container: "matroska" } as const;
      const other = videoSource(path, facts, { frameRate: fps });
      for (const pace of [{ speed: 1.25 }, { speed: 0.4, reverses: true }, { speed: [key(0, 0.5), key(1, 2)] }]) {
        const only = clip(other, 0, 40, { sourceStartSeconds: 0.7, ...pace });
        const wanted = Array.from({ length: 40 }, (_, frame) => {
          const seconds = clipTime(only, frame, { num: 30, den: 1 });
          return times.findLastIndex((time) => time <= seconds + 0.00051);
        });
        expect(await numbersOf(ffmpeg, timeline([only]), { start: 0, end: 40 })).toEqual(wanted);
      }
    },
  );

  test("a clip continues past its end at its speed, in both directions", async () => {
    for (const reverses of [false, true]) {
      const from = clip(source, 0, 20, { speed: 2, reverses, sourceStartSeconds: 1, ...transitionInto("wipeup", 10) });
      const to = clip(source, 20, 40, { speed: 3 });
      const range = { start: 20, end: 22 };
      // the upper half, which a wipe upwards has not reached, shows the low bits of the leaving clip
      const numbers = await numbersOf(ffmpeg, timeline([from, to]), range);
      expect(numbers.map((number) => number % 256)).toEqual(wantedOf(from, range));
    }
  });

  test("adjacent segments of one task are those that are rendered alone", async () => {
    const only = clip(source, 0, 45, { reverses: true, speed: 1.25, sourceStartSeconds: 1 });
    const segments = [0, 15, 30].map((start) => ({ start, end: start + 15 }));
    const encoding = { ...fastEncoding, separateGops: { hasTree: false } };
    const task = { timeline: timeline([only]), segments, overlays: [], files: sourcePaths, encoding };
    const output = { pattern: `${folder}/${ffmpeg.name}-part-%d.mp4`, first: 0 };
    await runCommand(ffmpeg, compileTasks([{ task, output }]));
    const shown = await Promise.all(
      segments.map(async (_segment, index) => await lumaFrames(ffmpeg, `${folder}/${ffmpeg.name}-part-${index}.mp4`)),
    );
    expect(shown.flat().map(numberOn)).toEqual(wantedOf(only, { start: 0, end: 45 }));
  });
});
