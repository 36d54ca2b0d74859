import { afterAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { filmIn, runRecipe } from "../helpers/cookbook.ts";
import { temporaryFolder } from "../helpers/media/ffmpeg.ts";
import { testService } from "../helpers/service.ts";
import { listen, mp4 } from "../helpers/uploads.ts";

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
