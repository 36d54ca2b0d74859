import { expect, test } from "bun:test";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { deflateSync } from "node:zlib";
import { bundledFamilies, fontFileUrl } from "../../../../src/engine/text/fonts/files.ts";
import { isUsableFont } from "../../../../src/engine/text/fonts/fonts.ts";
import type { Source } from "../../../../src/engine/timeline/source.ts";
import { drawOne, type Pixels, textOverlay, withTemporaryFolder } from "../../../support/media/drawn-overlays.ts";

const fileOf = (name: string, weight: number): string => {
  const family = bundledFamilies.find((each) => each.name === name)!;
  return fileURLToPath(fontFileUrl(family.files.find((file) => file.weight === weight)!.module));
};

const interBlack = fileOf("Inter", 900);
const bytesOf = async (path: string) => Buffer.from(await Bun.file(path).bytes());

const isUsable = (bytes: Uint8Array) =>
  withTemporaryFolder(async (folder) => {
    await Bun.write(join(folder, "font"), bytes);
    return await isUsableFont(join(folder, "font"));
  });

/** Converts a font to WOFF: the same tables, each deflated. */
function asWoff(font: Buffer): Buffer {
  const count = font.readUInt16BE(4);
  const entries = Array.from({ length: count }, (_, index) => font.subarray(12 + 16 * index, 28 + 16 * index));
  const tables = entries.map((entry) => {
    const raw = font.subarray(entry.readUInt32BE(8), entry.readUInt32BE(8) + entry.readUInt32BE(12));
    const packed = deflateSync(raw);
    const kept = packed.length < raw.length ? packed : raw;
    return { entry, kept, padded: Buffer.concat([kept, Buffer.alloc(-kept.length & 3)]) };
  });
  const header = Buffer.alloc(44 + 20 * count);
  header.write("wOFF");
  font.copy(header, 4, 0, 4);
  header.writeUInt16BE(count, 12);
  header.writeUInt32BE(font.length, 16);
  let offset = header.length;
  for (const [index, { entry, kept, padded }] of tables.entries()) {
    const at = 44 + 20 * index;
    entry.copy(header, at, 0, 4);
    header.writeUInt32BE(offset, at + 4);
    header.writeUInt32BE(kept.length, at + 8);
    entry.copy(header, at + 12, 12, 16);
    entry.copy(header, at + 16, 4, 8);
    offset += padded.length;
  }
  header.writeUInt32BE(offset, 8);
  return Buffer.concat([header, ...tables.map(({ padded }) => padded)]);
}

test("every bundled font file exists, and every family draws its own glyphs", async () => {
  for (const { name, files } of bundledFamilies) {
    const path = fileURLToPath(fontFileUrl(files[0]!.module));
    expect([name, await isUsableFont(path)]).toEqual([name, true]);
  }
  const all = bundledFamilies.flatMap(({ files }) => files.map(({ module }) => fontFileUrl(module)));
  expect(await Promise.all(all.map((url) => Bun.file(url).exists()))).not.toContain(false);
});

test("a WOFF is usable", async () => {
  expect(await isUsable(asWoff(await bytesOf(interBlack)))).toBe(true);
});

test("a truncated font file is not usable, wherever it ends", async () => {
  const font = await bytesOf(interBlack);
  const woff = asWoff(font);
  for (const share of [0, 0.0001, 0.01, 0.5, 0.999]) {
    expect(await isUsable(font.subarray(0, share * font.length))).toBe(false);
    expect(await isUsable(woff.subarray(0, share * woff.length))).toBe(false);
  }
});

test("a font file without its last bytes is not usable, even if its first letters could be drawn", async () => {
  const korean = await bytesOf(fileOf("Noto Sans KR", 400));
  expect(await isUsable(korean.subarray(0, korean.length - 8))).toBe(false);
});

test("a font file with noise as tables, or of noise only, is not usable", async () => {
  const noisy = await bytesOf(interBlack);
  const directory = 12 + 16 * noisy.readUInt16BE(4);
  for (let index = directory; index < noisy.length; index++) noisy[index] = (index * 197) >> 3;
  expect(await isUsable(noisy)).toBe(false);
  expect(await isUsable(noisy.subarray(directory))).toBe(false);
  expect(await isUsable(Buffer.from("<!doctype html>".repeat(100)))).toBe(false);
});

test("a font that loads but has no character map is not usable", async () => {
  const font = await bytesOf(interBlack);
  const entry = font.indexOf("cmap", 12, "latin1");
  const start = font.readUInt32BE(entry + 8);
  font.fill(0, start, start + font.readUInt32BE(entry + 12));
  expect(await isUsable(font)).toBe(false);
});

const projectFont = (file: string, hash: string): Source => ({
  file,
  hash,
  facts: { kind: "font", container: "font", mimeType: "font/ttf", extension: "ttf" },
});

const sameAs = (a: Pixels, b: Pixels) => Buffer.from(a.data).equals(Buffer.from(b.data));

test("a project font draws the text, and fallback fonts draw its missing glyphs", async () => {
  const font = projectFont(interBlack, "black");
  const own = await drawOne(textOverlay("Reel", { font }));
  const regular = await drawOne(textOverlay("Reel"));
  expect(own.ink).toBeGreaterThan(1.3 * regular.ink);
  expect(sameAs(own, await drawOne(textOverlay("Reel", { fontWeight: 900 })))).toBe(true);
  expect((await drawOne(textOverlay("日本", { font }))).ink).toBeGreaterThan(100);
});

test("an unusable font throws font_unusable", () =>
  withTemporaryFolder(async (folder) => {
    const file = join(folder, "font.ttf");
    await Bun.write(file, (await bytesOf(interBlack)).subarray(0, 300_000));
    const overlay = textOverlay("Reel", { font: projectFont(file, "cut") });
    await expect(drawOne(overlay)).rejects.toMatchObject({ code: "font_unusable" });
    // again, because the failure must not be cached
    await expect(drawOne(overlay)).rejects.toMatchObject({ code: "font_unusable" });
  }));

test("heavier weights have more ink", async () => {
  const weights = [100, 200, 300, 400, 500, 600, 700, 800, 900];
  const inks = await Promise.all(
    weights.map(async (fontWeight) => (await drawOne(textOverlay("Reel", { fontWeight }))).ink),
  );
  expect(inks).toEqual(inks.toSorted((a, b) => a - b));
  expect(new Set(inks).size).toBe(weights.length);
});

test("a weight between two files uses the nearest one", async () => {
  const at = (fontWeight: number) => drawOne(textOverlay("Reel", { fontWeight }));
  expect(sameAs(await at(690), await at(700))).toBe(true);
});

test("family names are case-insensitive, and the first known family of a list is used", async () => {
  const plain = await drawOne(textOverlay("Reel"));
  const noto = await drawOne(textOverlay("Reel", { fontFamily: "Noto Sans" }));
  expect(sameAs(plain, noto)).toBe(false);
  expect(sameAs(noto, await drawOne(textOverlay("Reel", { fontFamily: `Nothing, "noto sans", Inter` })))).toBe(true);
});

test("an unknown family, or CSS syntax in its name, gives the default family", async () => {
  const plain = await drawOne(textOverlay("Reel"));
  for (const fontFamily of [
    "",
    "No Such Family",
    `x", serif; 90px "y`,
    "bundled-Noto Sans-400",
    "project-black",
    "system-0",
  ]) {
    expect(sameAs(plain, await drawOne(textOverlay("Reel", { fontFamily })))).toBe(true);
  }
});

test("a project font does not replace a bundled family of the same name", async () => {
  const before = await drawOne(textOverlay("Reel", { fontFamily: "Inter" }));
  await drawOne(textOverlay("Reel", { font: projectFont(interBlack, "called Inter too") }));
  expect(sameAs(before, await drawOne(textOverlay("Reel", { fontFamily: "Inter" })))).toBe(true);
});

const twoLettersOf: Record<string, string> = {
  Armenian: "Բե",
  Bengali: "কখ",
  Ethiopic: "ሰላ",
  Georgian: "გმ",
  Gujarati: "કખ",
  Gurmukhi: "ਕਖ",
  Kannada: "ಕಖ",
  Khmer: "កខ",
  Lao: "ກຂ",
  Malayalam: "കഖ",
  Myanmar: "ကခ",
  Oriya: "କଖ",
  Sinhala: "කඛ",
  Tamil: "கங",
  Telugu: "కఖ",
};

test.each(Object.entries(twoLettersOf))("%s is drawn by a bundled font", async (script, [one, other]) => {
  const drawn = (text: string, fontFamily = "Inter") => drawOne(textOverlay(text, { fontFamily, fontWeight: 900 }));
  const letter = await drawn(one!);
  // missing-glyph signs are all alike
  expect(sameAs(letter, await drawn(other!))).toBe(false);
  expect(letter.size).toEqual((await drawn(one!, `Noto Sans ${script}`)).size);
});

test("Han characters have the variant of the language around them", async () => {
  const shape = async (text: string) => {
    const { data } = await drawOne(textOverlay(`${text}\n直`, { fontSize: 60 }));
    return Buffer.from(data.subarray(4 * 320 * 125)).toString("base64");
  };
  const chinese = await shape("一");
  const japanese = await shape("い");
  expect(chinese).not.toBe(japanese);
  expect(await shape("ほ")).toBe(japanese);
});
