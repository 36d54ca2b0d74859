import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { filmIn, recipeService, runRecipe } from "../support/cookbook.ts";
import { draw, soundSamples } from "../support/media/draw-media.ts";
import { testedFfmpegs } from "../support/media/ffmpeg.ts";
import { rgbFrames } from "../support/media/rgb.ts";

const { run, close } = await recipeService();
const { folder } = run;
afterAll(close);

const frameSize = { width: 64, height: 112 };

test("shows two videos side by side, then one in the other, and plays the sound of one", async () => {
  const video = (name: string, color: string, volume: number) =>
    draw(
      join(folder, `${name}.mp4`),
      `color=${color}:s=64x36:r=10:d=6,format=yuv420p[out0];aevalsrc='${volume}*sin(2*PI*440*t)':s=48000:d=6[out1]`,
      "-c:v",
      "libx264",
      "-c:a",
      "aac",
    );
  await video("before", "red", 0.8);
  await video("after", "blue", 0.1);

  const { exitCode, lines, errors } = await runRecipe("split-screen", run);

  expect([exitCode, lines, errors]).toEqual([0, ["split.mp4"], expect.any(String)]);
  const path = join(folder, "split.mp4");
  expect(await filmIn(folder, "split.mp4")).toMatchObject({ ...frameSize, durationSeconds: 6 });
  const frames = await rgbFrames(testedFfmpegs[0]!, path, frameSize);
  const isRed = (frame: number, x: number, y: number) => {
    const at = 3 * (y * frameSize.width + x);
    const [red = 0, , blue = 0] = frames[frame]!.subarray(at, at + 3);
    return red > blue;
  };
  expect([isRed(20, 5, 20), isRed(20, 5, 100)]).toEqual([true, false]);
  expect([isRed(50, 48, 19), isRed(50, 5, 19), isRed(50, 32, 100)]).toEqual([true, false, false]);
  const loudest = Math.max(...(await soundSamples(testedFfmpegs[0]!, path)).map(Math.abs));
  expect(loudest).toBeGreaterThan(0.05);
  expect(loudest).toBeLessThan(0.3);
});
