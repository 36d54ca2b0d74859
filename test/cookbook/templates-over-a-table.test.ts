import { afterAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { filmIn, runRecipe } from "../helpers/cookbook.ts";
import { temporaryFolder } from "../helpers/media/ffmpeg.ts";
import { testService } from "../helpers/service.ts";
import { listen, png } from "../helpers/uploads.ts";

const service = await testService();
const { accessToken: token } = await service.register("Ann");
const server = listen(service);
const folder = await temporaryFolder();
const run = { folder, url: server.url, token };
afterAll(async () => {
  await server.stop();
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

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
