import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { filmIn, recipeService, runRecipe } from "../support/cookbook.ts";
import { mp4 } from "../support/uploads.ts";

const { run, close } = await recipeService();
const { folder } = run;
afterAll(close);

test("makes a film for each aspect ratio from one edit", async () => {
  await Bun.write(join(folder, "clip.mp4"), await mp4());

  const { exitCode, lines } = await runRecipe("many-formats", run);

  expect([exitCode, lines]).toEqual([0, ["9x16", "1x1", "16x9", "4x5"].map((ratio) => `launch-${ratio}.mp4`)]);
  expect(await filmIn(folder, "launch-9x16.mp4")).toMatchObject({ width: 64, height: 114 });
  const { width, height } = await filmIn(folder, "launch-16x9.mp4");
  expect(width! / height!).toBeCloseTo(16 / 9, 0);
});
