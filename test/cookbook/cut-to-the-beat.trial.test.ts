import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { filmIn, recipeService, runRecipe } from "../support/cookbook.ts";
import { draw } from "../support/media/draw-media.ts";
import { png } from "../support/uploads.ts";

const { run, close } = await recipeService();
const { folder } = run;
afterAll(close);

test("changes the picture at every second beat", async () => {
  const clicks = "0.5*sin(2*PI*1000*t)*lt(mod(t+0.25,0.5),0.01)*gt(t,0.2)";
  await draw(join(folder, "song.wav"), `aevalsrc='${clicks}':s=48000:d=8`);
  await draw(join(folder, "whoosh.wav"), "aevalsrc='0.2*random(0)':s=48000:d=0.3");
  for (const name of ["one", "two", "three"]) await Bun.write(join(folder, `${name}.png`), png(60, 40, "#3355aa"));

  const args = ["song.wav", "whoosh.wav", "one.png", "two.png", "three.png"];
  const { exitCode, lines, errors } = await runRecipe("cut-to-the-beat", { ...run, args });

  expect([exitCode, lines, errors]).toEqual([0, ["to-the-beat.mp4, 120 beats a minute"], ""]);
  expect(await filmIn(folder, "to-the-beat.mp4")).toMatchObject({ width: 64, height: 112, durationSeconds: 3 });
});
