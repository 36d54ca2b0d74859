import { inflateSync } from "node:zlib";
import { createCanvas, type FontKey, GlobalFonts, type SKRSContext2D } from "@napi-rs/canvas";
import { alphabets, eastAsianFamilies, emoji, loadBundledFont } from "./files.ts";

const maxTableBytes = 64 * 2 ** 20;

/** Registers a font; undefined if it draws no glyph. Skia accepts broken files and then draws with fallback fonts. */
export function registerFont(bytes: Buffer, alias: string): FontKey | undefined {
  if (!isComplete(bytes) || !hasBoundedPictures(bytes)) return undefined;
  const key = GlobalFonts.register(bytes, alias);
  if (!key) return undefined;
  if (drawsGlyphs(alias)) return key;
  GlobalFonts.remove(key);
  return undefined;
}

/** Skia loads a truncated file if its table directory is complete. */
function isComplete(bytes: Buffer): boolean {
  if (bytes.length < 48) return false;
  const signature = bytes.toString("latin1", 0, 4);
  if (signature === "wOFF" || signature === "wOF2") {
    return bytes.readUInt32BE(8) === bytes.length && bytes.readUInt32BE(16) <= maxTableBytes;
  }
  const tables = bytes.readUInt16BE(4);
  if (bytes.length < 12 + 16 * tables) return false;
  return Array.from({ length: tables }, (_, index) => 12 + 16 * index).every(
    (entry) => bytes.readUInt32BE(entry + 8) + bytes.readUInt32BE(entry + 12) <= bytes.length,
  );
}

/** Letters of many scripts, and code points that icon fonts use. */
const samples = [
  ..."AaeHn08&Я£жΩαאبकกあ漢가ა᠀Աአকਕકକதతಕമකကក©→★✓☺😀",
  ..."\uE000\uE001\uE100\uE800\uE801\uE900\uE901\uEA01\uF000\uF001\uF002\uF015\uF101\uF102\uF500\u{F0001}\u{F0002}",
];

/** A noncharacter, which no font maps. */
const unmapped = "\u{10FFFE}";

const fallbackFamilies = [...alphabets, ...eastAsianFamilies, emoji];

/** True if the pixels differ from those of fallback fonts, and from the missing-glyph sign. */
function drawsGlyphs(alias: string): boolean {
  const context = createCanvas(sampleSide, sampleSide).getContext("2d");
  const [light, heavy] = [100, 900].map((weight) =>
    fallbackFamilies.map((family) => `"${loadBundledFont(family, weight)}"`).join(),
  );
  const missingGlyph = pixelsOf(context, `"${alias}", ${light}`, unmapped);
  return samples.some((sample) => {
    const own = pixelsOf(context, `"${alias}", ${light}`, sample);
    if (own === blank || own === missingGlyph || own !== pixelsOf(context, `"${alias}", ${heavy}`, sample))
      return false;
    return own !== pixelsOf(context, light!, sample) || own !== pixelsOf(context, heavy!, sample);
  });
}

const sampleSide = 48;
const blank = Buffer.alloc(sampleSide * sampleSide * 4).toString("latin1");

function pixelsOf(context: SKRSContext2D, fonts: string, sample: string): string {
  context.clearRect(0, 0, sampleSide, sampleSide);
  context.font = `24px ${fonts}`;
  context.fillText(sample, 10, 34);
  return context.canvas.data().toString("latin1");
}

/** PNG glyphs have up to 320 × 320 pixels, some icons 1024 × 1024. */
const maxPixels = 4 * 2 ** 20;

/** False if a glyph is a PNG with too many pixels, which would be decoded to draw one letter. */
export function hasBoundedPictures(font: Buffer): boolean {
  const parts = font.toString("latin1", 0, 4) === "wOFF" ? pictureTablesOf(font) : [font];
  return parts.every((part) => pixelsOfPictures(part).every((pixels) => pixels <= maxPixels));
}

const pngStart = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");

/** The size follows the length and the name of the first chunk. */
function pixelsOfPictures(bytes: Buffer): readonly number[] {
  const pixels: number[] = [];
  for (let at = bytes.indexOf(pngStart); at >= 0 && at + 24 <= bytes.length; at = bytes.indexOf(pngStart, at + 8)) {
    pixels.push(bytes.readUInt32BE(at + 16) * bytes.readUInt32BE(at + 20));
  }
  return pixels;
}

const pictureTables: ReadonlySet<string> = new Set(["sbix", "CBDT", "EBDT"]);

/** The tables of pictures in a WOFF file, which compresses each table separately. */
function pictureTablesOf(font: Buffer): readonly Buffer[] {
  const entries = Array.from({ length: font.readUInt16BE(12) }, (_, index) => 44 + 20 * index);
  return entries
    .filter((at) => at + 20 <= font.length && pictureTables.has(font.toString("latin1", at, at + 4)))
    .map((at) => {
      const [offset, length, whole] = [4, 8, 12].map((field) => font.readUInt32BE(at + field)) as [
        number,
        number,
        number,
      ];
      const table = font.subarray(offset, offset + length);
      return length === whole ? table : inflateSync(table, { maxOutputLength: maxTableBytes });
    });
}
