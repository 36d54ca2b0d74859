import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { filmIn, recipeService, runRecipe } from "../support/cookbook.ts";
import { mp4 } from "../support/uploads.ts";

const { run, close } = await recipeService();
const { folder } = run;
afterAll(close);

test("uploads two clips and exports a film of both", async () => {
  for (const name of ["first.mp4", "second.mp4"]) await Bun.write(join(folder, name), await mp4());

  const { exitCode, lines, errors } = await runRecipe("upload-and-export", run);

  expect([exitCode, lines.at(-1), errors]).toEqual([0, "film.mp4", expect.any(String)]);
  expect(await filmIn(folder, "film.mp4")).toMatchObject({ width: 64, height: 112, durationSeconds: 2 });
});

test("says in a sentence what the service does not take", async () => {
  await Bun.write(join(folder, "notes.txt"), "no video");

  const { exitCode, errors } = await runRecipe("upload-and-export", { ...run, args: ["notes.txt"] });

  expect(exitCode).toBe(1);
  expect(errors).toStartWith("The file's type is not known.");
  expect(errors).toContain("unsupported_media_type");
});
