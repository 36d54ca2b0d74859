import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { filmIn, recipeService, runRecipe } from "../support/cookbook.ts";
import { png } from "../support/uploads.ts";

const { run, close } = await recipeService();
const { folder } = run;
afterAll(close);

test("makes a film of moving layers alone", async () => {
  await Bun.write(join(folder, "picture.png"), png(60, 40, "#3355aa"));

  const { exitCode, lines, errors } = await runRecipe("moving-titles", run);

  expect([exitCode, lines, errors.includes("error")]).toEqual([0, ["titles.mp4"], false]);
  expect(await filmIn(folder, "titles.mp4")).toMatchObject({ width: 64, height: 112, durationSeconds: 8 });
});
