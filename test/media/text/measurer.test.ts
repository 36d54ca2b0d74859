import { afterAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { textMeasurer } from "../../../src/media/text/measurer.ts";
import { diskFiles } from "../../../src/storage/files/disk-files.ts";
import type { Overlay, TextContent, TextStyle } from "../../../src/timeline/overlay.ts";
import { drawOne, textOverlay, white } from "../../helpers/drawn-overlays.ts";
import { temporaryFolder } from "../../helpers/ffmpeg.ts";

const folder = await temporaryFolder();
const measurer = textMeasurer({ files: await diskFiles(folder) });
afterAll(() => rm(folder, { recursive: true, force: true }));

const measured = ({ content, rotationDegrees }: Overlay) => measurer.measure(content as TextContent, rotationDegrees);

const looks: [string, string, Partial<TextStyle>, Partial<Overlay>][] = [
  ["a word", "Reel", {}, {}],
  ["two lines", "one\ntwo", { align: "left" }, {}],
  ["a wrapped text", "one two three", { maxWidth: 120 }, {}],
  ["a stroked text", "Reel", { stroke: { color: white, width: 6 } }, {}],
  ["a turned text", "Reel", {}, { rotationDegrees: 90 }],
  ["an Arabic text", "مرحبا", {}, {}],
];

test.each(looks)("%s is measured where it is drawn", async (_, text, style, rest) => {
  const overlay = textOverlay(text, style, rest);
  const [{ ink }, drawn] = [await measured(overlay), await drawOne(overlay)];

  expect(Math.abs(ink!.x + ink!.width / 2 - drawn.center.x)).toBeLessThanOrEqual(2);
  expect(Math.abs(ink!.y + ink!.height / 2 - drawn.center.y)).toBeLessThanOrEqual(2);
  expect(Math.abs(ink!.width - drawn.size.width)).toBeLessThanOrEqual(3);
  expect(Math.abs(ink!.height - drawn.size.height)).toBeLessThanOrEqual(3);
});

test("a shadow and a box count for nothing", async () => {
  const black = { ...white, red: 0, green: 0, blue: 0 };
  const shadow = { color: black, blur: 20, offsetX: 30, offsetY: 30 };
  const background = { color: black, padding: 60, radius: 0 };
  const [plain, dressed] = [textOverlay("Reel"), textOverlay("Reel", { shadow, background })];

  expect(await measured(dressed)).toEqual(await measured(plain));
});

test("spaces alone have no ink", async () => {
  expect(await measured(textOverlay(" \n "))).toEqual({ ink: undefined, missing: [] });
});

test("characters of every script that comes along are there, emoji and marks among them", async () => {
  const text = "Ağ Жж Ωω שלום مرحبا नमस्ते ไทย 日本語 한국어 中文 😀 👩‍👩‍👧 🏳️‍🌈 e\u0301 \u00ad\u200b\t→ ©";
  expect((await measured(textOverlay(text))).missing).toEqual([]);
});

test("a character that no font has is named once", async () => {
  const text = "a\u{10FFFE}b\u{10FFFE} \u{EFFFE}";
  expect((await measured(textOverlay(text))).missing).toEqual(["\u{10FFFE}", "\u{EFFFE}"]);
});

test("a font that does not load is told as such", async () => {
  const font = {
    file: "nothing.ttf",
    hash: "nothing",
    facts: { kind: "font", container: "font", mimeType: "font/ttf", extension: "ttf" },
  } as const;
  await Bun.write(`${folder}/files/nothing.ttf`, "no font");
  await expect(measured(textOverlay("Reel", { font }))).rejects.toMatchObject({ code: "font_unusable" });
});
