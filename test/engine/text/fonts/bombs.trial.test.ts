import { afterAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { ffmpegInspector } from "../../../../src/engine/inspect/inspect.ts";
import { taskPool } from "../../../../src/engine/sandbox/task-pool.ts";
import { colorLayersBomb, glyphFont, triangle } from "../../../support/media/bombs/fonts.ts";
import { foundFfmpeg, temporaryFolder } from "../../../support/media/ffmpeg.ts";

const folder = await temporaryFolder();
afterAll(() => rm(folder, { recursive: true, force: true }));

// uses all of its time
test("a font of color layers that multiply is refused, and the next one is taken", async () => {
  const canvas = taskPool({ concurrency: 1, taskMilliseconds: 1_500 });
  const inspector = ffmpegInspector({ ffmpeg: await foundFfmpeg(), makeFolder: temporaryFolder, canvas });
  const [bomb, plain] = [`${folder}/bomb`, `${folder}/plain`];
  await Bun.write(bomb, colorLayersBomb());
  await Bun.write(plain, glyphFont({ glyphs: [Buffer.alloc(0), triangle] }));
  await expect(inspector.inspect(bomb, { owner: "ann" })).rejects.toMatchObject({ code: "unsupported_media_type" });
  expect(await inspector.inspect(plain, { owner: "ann" })).toMatchObject({ kind: "font" });
});
