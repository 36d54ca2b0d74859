import { afterAll, expect, test } from "bun:test";
import { filmIn, recipeService, runRecipe } from "../support/cookbook.ts";

const { run, close } = await recipeService();
const { folder } = run;
afterAll(close);

test("makes a film from a brief with the provider local", async () => {
  const { exitCode, lines, errors } = await runRecipe("brief-to-film", run);

  expect([exitCode, lines.at(-1), errors]).toEqual([0, "film.mp4, 0.00 USD", ""]);
  expect(lines).toEqual(expect.arrayContaining(["scenario", "scene-1-video", "export"]));
  expect(await filmIn(folder, "film.mp4")).toMatchObject({ width: 64, height: 114, durationSeconds: 4 });
});

test("says what the service needs of the caller", async () => {
  const { exitCode, errors } = await runRecipe("brief-to-film", { ...run, env: { LLM_PROVIDER: "openai" } });

  expect(exitCode).toBe(1);
  expect(errors).toContain(
    "needs your own API key: enter it in your editor's keys, or send it as x-llm-api-key or x-api-key. (provider_key_required)",
  );
});
