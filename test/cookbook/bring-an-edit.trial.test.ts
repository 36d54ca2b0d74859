import { afterAll, expect, test } from "bun:test";
import { filmIn, recipeService, runRecipe } from "../support/cookbook.ts";

const { run, close } = await recipeService();
const { folder } = run;
afterAll(close);

test("makes a film of an edit, and films of a table", async () => {
  const { exitCode, lines, errors } = await runRecipe("bring-an-edit", run);

  expect([exitCode, lines.toSorted(), errors]).toEqual([0, ["kettle.mp4", "row-1.mp4", "row-2.mp4"], ""]);
  expect(await filmIn(folder, "row-2.mp4")).toMatchObject({ width: 64, height: 112, durationSeconds: 2 });
});
