import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { filmIn, recipeService, runRecipe } from "../support/cookbook.ts";
import { runFfmpeg, testedFfmpegs } from "../support/media/ffmpeg.ts";
import { lottie, lottieBytes, redFill, square } from "../support/media/lottie.ts";

const { run, close } = await recipeService();
const { folder } = run;
afterAll(close);

test("makes a lower third with a transparent ground, and a GIF on a color", async () => {
  await Bun.write(join(folder, "logo.json"), lottieBytes(lottie([square(redFill)])));

  const { exitCode, lines, errors } = await runRecipe("overlays-and-gifs", run);

  expect([exitCode, lines, errors]).toEqual([
    0,
    ["lower-third.mov", "lower-third.webm", "lower-third.gif"],
    expect.any(String),
  ]);
  const alphaOf = async (name: string, decoder: readonly string[]) => {
    const bytes = await runFfmpeg(testedFfmpegs[0]!, [
      ...[...decoder, "-ss", "2", "-i", join(folder, name), "-frames:v", "1"],
      ...["-vf", "format=rgba", "-f", "rawvideo", "-"],
    ]);
    const { width = 1 } = await filmIn(folder, name);
    return (x: number, y: number) =>
      bytes[4 * (Math.round(y * (bytes.length / 4 / width)) * width + Math.round(x * width)) + 3];
  };
  for (const [name, decoder] of [
    ["lower-third.mov", []],
    ["lower-third.webm", ["-c:v", "libvpx-vp9"]],
  ] as const) {
    expect(await filmIn(folder, name)).toMatchObject({
      durationSeconds: expect.closeTo(4, 1),
      picture: { hasAlpha: true },
    });
    const alpha = await alphaOf(name, decoder);
    expect([alpha(0.3, 0.83), alpha(0.9, 0.1)]).toEqual([255, 0]);
  }
  expect(await filmIn(folder, "lower-third.gif")).toMatchObject({
    isMoving: true,
    pictureMilliseconds: expect.any(Array),
  });
});
