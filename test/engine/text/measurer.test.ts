import { afterAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { taskPool } from "../../../src/engine/sandbox/task-pool.ts";
import { textMeasurer } from "../../../src/engine/text/measurer.ts";
import type { Overlay, TextContent, TextStyle } from "../../../src/engine/timeline/overlay.ts";
import { diskFiles } from "../../../src/storage/files/disk-files.ts";
import { drawOne, textOverlay, white } from "../../support/media/drawn-overlays.ts";
import { temporaryFolder } from "../../support/media/ffmpeg.ts";

const folder = await temporaryFolder();
const measurer = textMeasurer({ files: await diskFiles(folder) });
afterAll(() => rm(folder, { recursive: true, force: true }));

const measure = ({ content, rotationDegrees }: Overlay) =>
  measurer.measure(content as TextContent, rotationDegrees, { owner: "ann" });

test("texts that were prepared together are measured by one task", async () => {
  let tasks = 0;
  const together = textMeasurer({ files: await diskFiles(folder), canvas: taskPool({ onEnd: () => tasks++ }) });
  const texts = ["one", "two", "three"].map((text) => textOverlay(text).content as TextContent);
  const prepared = texts.map((content) => ({ content, rotationDegrees: 0 }));
  await together.prepare(prepared, { owner: "ann" });
  for (const content of texts) {
    expect(await together.measure(content, 0, { owner: "ann" })).toEqual(await measure(textOverlay(content.text)));
  }
  expect(tasks).toBe(1);
});

const examples: [string, string, Partial<TextStyle>, Partial<Overlay>][] = [
  ["a word", "Reel", {}, {}],
  ["two lines", "one\ntwo", { align: "left" }, {}],
  ["a wrapped text", "one two three", { maxWidth: 120 }, {}],
  ["a stroked text", "Reel", { stroke: { color: white, width: 6 } }, {}],
  ["a rotated text", "Reel", {}, { rotationDegrees: 90 }],
  ["an Arabic text", "مرحبا", {}, {}],
];

test.each(examples)("the measured bounds of %s match its drawn pixels", async (_, text, style, rest) => {
  const overlay = textOverlay(text, style, rest);
  const { ink } = await measure(overlay);
  const drawn = await drawOne(overlay);

  expect(Math.abs(ink!.x + ink!.width / 2 - drawn.center.x)).toBeLessThanOrEqual(2);
  expect(Math.abs(ink!.y + ink!.height / 2 - drawn.center.y)).toBeLessThanOrEqual(2);
  expect(Math.abs(ink!.width - drawn.size.width)).toBeLessThanOrEqual(3);
  expect(Math.abs(ink!.height - drawn.size.height)).toBeLessThanOrEqual(3);
});

test("the shadow and the background box are not measured", async () => {
  const black = { ...white, red: 0, green: 0, blue: 0 };
  const shadow = { color: black, blur: 20, offsetX: 30, offsetY: 30 };
  const background = { color: black, padding: 60, radius: 0 };
  const plain = textOverlay("Reel");
  const decorated = textOverlay("Reel", { shadow, background });

  expect(await measure(decorated)).toEqual(await measure(plain));
});

test("a text of spaces has no ink", async () => {
  expect(await measure(textOverlay(" \n "))).toEqual({ ink: undefined, missing: [] });
});

test("no character of a bundled script is missing, nor emoji, marks or invisible characters", async () => {
  const text = "Ağ Жж Ωω שלום مرحبا नमस्ते ไทย 日本語 한국어 中文 😀 👩‍👩‍👧 🏳️‍🌈 e\u0301 \u00ad\u200b\t→ ©";
  expect((await measure(textOverlay(text))).missing).toEqual([]);
});

test("a character that no font has is listed once", async () => {
  const text = "a\u{10FFFE}b\u{10FFFE} \u{EFFFE}";
  expect((await measure(textOverlay(text))).missing).toEqual(["\u{10FFFE}", "\u{EFFFE}"]);
  // what was lost in another encoding
  expect((await measure(textOverlay("M\ufffdsli"))).missing).toEqual(["\ufffd"]);
});

test("a font that does not load throws font_unusable", async () => {
  const font = {
    file: "nothing.ttf",
    hash: "nothing",
    facts: { kind: "font", container: "font", mimeType: "font/ttf", extension: "ttf" },
  } as const;
  await Bun.write(`${folder}/files/nothing.ttf`, "no font");
  await expect(measure(textOverlay("Reel", { font }))).rejects.toMatchObject({ code: "font_unusable" });
});
