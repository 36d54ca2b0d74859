import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { filmIn, recipeService, runRecipe } from "../support/cookbook.ts";
import { png } from "../support/uploads.ts";

const { run, close } = await recipeService();
const { folder } = run;
afterAll(close);

test("makes a film for each row, and a bad row costs the others nothing", async () => {
  const rows = [
    "name,price,image",
    "Coffee,9.90,coffee.png",
    '"Tea, green",7.50,notes.txt',
    'The ""best"" cocoa,5,coffee.png',
  ];
  await Bun.write(join(folder, "products.csv"), rows.join("\r\n"));
  await Bun.write(join(folder, "coffee.png"), png(64, 112));
  await Bun.write(join(folder, "notes.txt"), "no picture");

  const { exitCode, lines, errors } = await runRecipe("templates-over-a-table", run);

  expect([exitCode, lines]).toEqual([1, ["coffee.mp4", "the-best-cocoa.mp4"]]);
  expect(errors).toStartWith("Tea, green: The file's type is not known.");
  expect(await filmIn(folder, "coffee.mp4")).toMatchObject({ width: 64, height: 112, durationSeconds: 3 });
});
