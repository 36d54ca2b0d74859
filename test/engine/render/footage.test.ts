import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { footageRenderer } from "../../../src/engine/render/footage.ts";
import type { Source } from "../../../src/engine/timeline/source.ts";
import { drawNumbers, numberOn, smallCanvas, videoSource } from "../../support/media/draw-media.ts";
import { runCommand, temporaryFolder, testedFfmpegs } from "../../support/media/ffmpeg.ts";

const rate = { num: 30, den: 1 };

describe.each(testedFfmpegs)("with $name ffmpeg", (ffmpeg) => {
  let folder: string;
  let source: Source;

  beforeAll(async () => {
    folder = await temporaryFolder();
    const path = await drawNumbers(join(folder, "numbers.mp4"), { first: 0, frames: 120 });
    source = videoSource(path, { durationSeconds: 4 }, { frameRate: 30 });
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** The number on the frame that is shown for each time: the last one at or before it. */
  async function numbersAt(times: readonly number[]) {
    const render = footageRenderer({
      folder,
      rate,
      pathOf: ({ file }) => file,
      run: (command) => runCommand(ffmpeg, command),
    });
    const footage = await render({ key: "film", source, size: smallCanvas, times });
    const bytes = await Bun.file(footage.path).bytes();
    const size = 4 * smallCanvas.width * smallCanvas.height;
    return times.map((time) => {
      const index = footage.times.findLastIndex((each) => each <= time + 1e-5);
      const levels = bytes.subarray(index * size, (index + 1) * size).filter((_, at) => at % 4 === 0);
      return numberOn({ ...smallCanvas, levels });
    });
  }

  test("times at even distances show the frames at them", async () => {
    const times = Array.from({ length: 20 }, (_, frame) => 0.51 + (frame * 1.3) / 30);
    expect(await numbersAt(times)).toEqual(times.map((time) => Math.floor(time * 30 + 1e-6)));
  });

  test("times at uneven distances show the frames at them, wherever they begin", async () => {
    for (const start of [0, 0.49, 1.015]) {
      const times = Array.from({ length: 40 }, (_, frame) => start + frame / 30 + (frame / 30) ** 2 / 2);
      expect(await numbersAt(times)).toEqual(times.map((time) => Math.floor(time * 30 + 1e-6)));
    }
  });
});
