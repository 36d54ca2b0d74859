import { afterAll, beforeAll, expect, test } from "bun:test";
import { rm, symlink } from "node:fs/promises";
import installer from "@ffmpeg-installer/ffmpeg";
import { type Ffmpeg, findFfmpeg, segmentDecoder } from "../../../src/engine/ffmpeg/ffmpeg.ts";
import { temporaryFolder } from "../../support/media/ffmpeg.ts";

let folder: string;
let chosen: Ffmpeg;

beforeAll(async () => {
  folder = await temporaryFolder();
  await symlink(installer.path, `${folder}/ffmpeg`);
  chosen = await findFfmpeg(`${folder}/ffmpeg`);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

test("segments are decoded by the bundled ffmpeg, whichever is chosen", async () => {
  expect(chosen.path).not.toBe(installer.path);
  const decoder = segmentDecoder(chosen);
  expect((await decoder()).path).toBe(installer.path);
  expect(await decoder()).toBe(await decoder());
});

test("segments are decoded by the chosen ffmpeg where the bundled one does not work", async () => {
  const decoder = segmentDecoder(chosen, () => findFfmpeg(`${folder}/missing`));
  expect(await decoder()).toBe(chosen);
});
