import { afterAll, beforeAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { ffmpegInspector } from "../../../../src/engine/inspect/inspect.ts";
import type { Inspector } from "../../../../src/engine/ports.ts";
import { taskPool } from "../../../../src/engine/sandbox/task-pool.ts";
import {
  bitmapBomb,
  contextBomb,
  deepPaintBomb,
  glyphFont,
  groupBomb,
  nameBomb,
  subroutineBomb,
  substitutionBomb,
  triangle,
  woffBomb,
} from "../../../support/media/bombs/fonts.ts";
import { pngOf } from "../../../support/media/bombs/png.ts";
import { foundFfmpeg, temporaryFolder } from "../../../support/media/ffmpeg.ts";

let folder: string;
let inspector: Inspector;

beforeAll(async () => {
  folder = await temporaryFolder();
  const canvas = taskPool({ concurrency: 1, taskMilliseconds: 1_500, spares: 0 });
  const ffmpeg = await foundFfmpeg();
  inspector = ffmpegInspector({ ffmpeg, makeFolder: temporaryFolder, canvas });
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const inspect = async (bytes: Uint8Array) => {
  const path = `${folder}/${crypto.randomUUID()}`;
  await Bun.write(path, bytes);
  return await inspector.inspect(path, { owner: "ann" });
};

const plain = glyphFont({ glyphs: [Buffer.alloc(0), triangle] });

test.each([
  ["bitmaps of 49 megapixels", () => bitmapBomb(pngOf({ width: 7_000, height: 7_000 }))],
  ["bitmaps of 400 megapixels", () => bitmapBomb(pngOf({ width: 20_000, height: 20_000 }))],
  ["a table that inflates to more than its file tells", () => woffBomb({ bytes: 2 ** 20, declared: 2_000 })],
  ["a table that inflates beyond the limit", () => woffBomb({ bytes: 65 * 2 ** 20, declared: 65 * 2 ** 20 })],
])("a font of %s is refused, and the next one is taken", async (_title, bytes) => {
  await expect(inspect(bytes())).rejects.toMatchObject({ code: "unsupported_media_type" });
  expect(await inspect(plain)).toMatchObject({ kind: "font" });
});

test.each([
  ["substitutions that multiply", () => substitutionBomb()],
  ["contexts that call each other", () => contextBomb()],
  ["clips inside each other", () => deepPaintBomb({ depth: 1_000 })],
  ["subroutines that are few", () => subroutineBomb({ fanOut: 2, depth: 3 })],
  ["a map of 65,000 groups", () => groupBomb(0xffff)],
  ["a name of a megabyte", () => nameBomb(2 ** 20)],
])("a font of %s costs little and is taken", async (_title, bytes) => {
  expect(await inspect(bytes())).toMatchObject({ kind: "font" });
});
