import { inflateSync } from "node:zlib";

/** PNG glyphs have up to 320 × 320 pixels, some icons 1024 × 1024. */
const maxPixels = 4 * 2 ** 20;

const maxTableBytes = 64 * 2 ** 20;

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
