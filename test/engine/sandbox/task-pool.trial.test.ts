import { afterAll, describe, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { ffmpegInspector } from "../../../src/engine/inspect/inspect.ts";
import { taskPool } from "../../../src/engine/sandbox/task-pool.ts";
import { textMeasurer } from "../../../src/engine/text/measurer.ts";
import type { Overlay, TextContent } from "../../../src/engine/timeline/overlay.ts";
import type { Source } from "../../../src/engine/timeline/source.ts";
import { bombFont } from "../../support/media/bomb-font.ts";
import { textOverlay } from "../../support/media/drawn-overlays.ts";
import { foundFfmpeg, temporaryFolder } from "../../support/media/ffmpeg.ts";

const folder = await temporaryFolder();
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Every probe draws this letter. */
const probed = "A".codePointAt(0)!;
/** No probe draws this code point. */
const rare = 0xe123;

await Bun.write(`${folder}/bomb.ttf`, bombFont({ plain: [], bombs: [probed] }));
await Bun.write(`${folder}/rare-bomb.ttf`, bombFont({ plain: [probed], bombs: [rare] }));
await Bun.write(`${folder}/plain.ttf`, bombFont({ plain: [probed], bombs: [] }));

const font: Source = {
  file: `${folder}/rare-bomb.ttf`,
  hash: "rare-bomb.ttf",
  facts: { kind: "font", container: "font", mimeType: "font/ttf", extension: "ttf" },
};

/** Fewer processes and less time than the service has. */
const canvas = taskPool({ concurrency: 1, taskMilliseconds: 1_500 });
const ann = { owner: "ann" };
const inspector = ffmpegInspector({ ffmpeg: await foundFfmpeg(), makeFolder: temporaryFolder, canvas });
const measurer = textMeasurer({ files: { withLocalFile: async ({ key }, use) => use(key) }, canvas });
const measure = ({ content }: Overlay) => measurer.measure(content as TextContent, 0, ann);

describe("a font that takes hours to read", () => {
  test("is rejected when it is inspected, and the next font is not", async () => {
    await expect(inspector.inspect(`${folder}/bomb.ttf`, ann)).rejects.toMatchObject({
      code: "unsupported_media_type",
    });
    expect(await inspector.inspect(`${folder}/plain.ttf`, ann)).toMatchObject({ kind: "font" });
  });

  test("is unusable for a text that shows the slow glyph, and for no other text", async () => {
    const slow = textOverlay(String.fromCodePoint(rare), { font });
    await expect(measure(slow)).rejects.toMatchObject({ code: "font_unusable", facts: { path: "texts" } });
    const quick = textOverlay("A", { font });
    const texts = [slow, quick].map(({ content }) => ({ content: content as TextContent, rotationDegrees: 0 }));
    await measurer.prepare(texts, ann);
    expect((await measure(quick)).ink).toBeDefined();
  });
});
