import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { compileSegment } from "../../../../src/engine/compiler/compile.ts";
import type { DrawnOverlay } from "../../../../src/engine/compiler/video/overlays.ts";
import type { FrameRange } from "../../../../src/engine/timeline/time.ts";
import type { Timeline } from "../../../../src/engine/timeline/timeline.ts";
import {
  draw,
  drawColor,
  type GrayFrame,
  levelAt,
  lumaFrames,
  videoSource,
} from "../../../support/media/draw-media.ts";
import { runCommand, type TestFfmpeg, temporaryFolder, testedFfmpegs } from "../../../support/media/ffmpeg.ts";
import {
  clip,
  fastEncoding,
  overlay,
  sourcePaths,
  timeline,
  transitionInto,
} from "../../../support/media/timelines.ts";

let folder: string;
/** Five bitmaps of 16 by 16 pixels, each lighter than the one before. */
let steps: string;
/** One half-transparent white bitmap. */
let veil: string;
let black: string;
beforeAll(async () => {
  folder = await temporaryFolder();
  steps = `${folder}/step-%d.png`;
  veil = `${folder}/veil-%d.png`;
  await draw(steps, "color=c=black:s=16x16:r=5:d=1,format=gray,geq=lum='50+40*N',format=rgba", "-start_number", "0");
  await draw(veil, "color=c=white@0.5:s=16x16:r=1:d=1,format=rgba", "-start_number", "0");
  black = await drawColor(`${folder}/black.mp4`, "black", 60);
});
afterAll(() => rm(folder, { recursive: true }));

const blackEdit = (fps = 30) =>
  timeline([clip(videoSource(black), 0, 20, transitionInto("wipeup", 4)), clip(videoSource(black), 20, 40)], { fps });

async function framesOf(
  ffmpeg: TestFfmpeg,
  edit: Timeline,
  overlays: readonly DrawnOverlay[],
  range: FrameRange = { start: 0, end: edit.track.frames },
): Promise<readonly GrayFrame[]> {
  const path = `${folder}/${ffmpeg.name}.mp4`;
  await runCommand(
    ffmpeg,
    compileSegment({ timeline: edit, range, overlays, files: sourcePaths, encoding: fastEncoding }, path),
  );
  return lumaFrames(ffmpeg, path);
}

/** Which of the five bitmaps a frame shows; undefined for none. */
const stepOn = (frame: GrayFrame): number | undefined => {
  const level = ((levelAt(frame, 40, 14) - 16) * 255) / 219;
  return level < 20 ? undefined : Math.round((level - 50) / 40);
};

const box = { x: 32, y: 6, width: 16, height: 16 };

describe.each(testedFfmpegs.map((ffmpeg) => [ffmpeg.name, ffmpeg] as const))("with the %s ffmpeg", (_, ffmpeg) => {
  test("bitmaps play in, hold, and play out on exactly their frames", async () => {
    for (const fps of [30, 29.97, 7]) {
      const animated = overlay(steps, { box, range: { start: 5, end: 15 }, starts: [0, 1, 2, 8, 9] });
      const shown = (await framesOf(ffmpeg, blackEdit(fps), [animated])).map(stepOn);
      expect(shown.slice(3, 17)).toEqual([undefined, undefined, 0, 1, 2, 2, 2, 2, 2, 2, 3, 4, undefined, undefined]);
      expect(shown.filter((step) => step !== undefined)).toHaveLength(10);
    }
  });

  test("a segment shows an overlay exactly as the whole export does", async () => {
    const animated = overlay(steps, { box, range: { start: 5, end: 33 }, starts: [0, 1, 2, 26, 27] });
    const whole = (await framesOf(ffmpeg, blackEdit(), [animated])).map(stepOn);
    for (const cut of [4, 5, 7, 20, 31, 33]) {
      const parts = [
        ...(await framesOf(ffmpeg, blackEdit(), [animated], { start: 0, end: cut })),
        ...(await framesOf(ffmpeg, blackEdit(), [animated], { start: cut, end: 40 })),
      ];
      expect(parts.map(stepOn)).toEqual(whole);
    }
  });

  test("hundreds of bitmaps appear on frames of their own", async () => {
    const many = `${folder}/many-%d.png`;
    await draw(many, "color=c=white:s=16x16:r=300:d=1,format=rgba", "-start_number", "0");
    const starts = Array.from({ length: 300 }, (_, index) => index + (index > 3 ? 1 : 0));
    const edit = timeline([clip(videoSource(black), 0, 310)]);
    const shown = await framesOf(ffmpeg, edit, [overlay(many, { box, range: { start: 2, end: 303 }, starts })]);
    const lit = shown.flatMap((frame, index) => (levelAt(frame, 40, 14) > 200 ? [index] : []));
    expect([lit.length, lit[0], lit.at(-1)]).toEqual([301, 2, 302]);
  });

  test("an overlay of one frame is visible on that frame only", async () => {
    const brief = overlay(steps, { box, range: { start: 39, end: 40 } });
    const shown = (await framesOf(ffmpeg, blackEdit(), [brief])).map(stepOn);
    expect(shown.flatMap((step, frame) => (step === undefined ? [] : [frame]))).toEqual([39]);
  });

  test("an overlay is at its exact position, and the later one is on top", async () => {
    const under = overlay(steps, { box: { ...box, x: 8, y: 10 }, range: { start: 0, end: 40 } });
    const above = overlay(veil, { box: { ...box, x: 16, y: 10 }, range: { start: 0, end: 40 } });
    const [frame] = await framesOf(ffmpeg, blackEdit(), [under, above]);
    const row = [6, 9, 14, 18, 22, 26, 30, 33].map((x) => levelAt(frame!, x, 18));
    // black, the first step, white at a half over that, white at a half over black, black
    expect(row.map((level, index) => Math.abs(level - [16, 59, 59, 147, 147, 126, 126, 16][index]!) <= 3)).toEqual(
      row.map(() => true),
    );
    expect([9, 10, 25, 26].map((y) => levelAt(frame!, 12, y) > 40)).toEqual([false, true, true, false]);
  });

  test("a segment with only a gap and an overlay renders", async () => {
    const gap = timeline([clip(videoSource(black), 10, 20)]);
    const shown = await framesOf(ffmpeg, gap, [overlay(steps, { box, range: { start: 2, end: 4 } })], {
      start: 0,
      end: 6,
    });
    expect(shown.map(stepOn)).toEqual([undefined, undefined, 0, 0, undefined, undefined]);
    expect(await framesOf(ffmpeg, gap, [], { start: 0, end: 6 })).toHaveLength(6);
  });
});
