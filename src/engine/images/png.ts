import { promisify } from "node:util";
import { constants, crc32, deflate } from "node:zlib";
import type { Canvas } from "../timeline/timeline.ts";

const deflateAsync = promisify(deflate);

export const pngSignature = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");

/**
 * Encodes rgb24 or RGBA pixels as PNG, with fast compression. ffmpeg's encoder is slower and writes the video's gamma, which
 * browsers apply. `strategy` is zlib's: with Z_RLE, frames of videos are a third smaller and take a fourth longer.
 */
export async function encodePng(
  pixels: Uint8Array,
  { width, height }: Canvas,
  strategy: number = constants.Z_DEFAULT_STRATEGY,
): Promise<Uint8Array> {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  const bytesPerPixel = pixels.length / (width * height);
  // 8 bits per channel, RGB or RGBA, default compression and filter methods, not interlaced
  header.set([8, bytesPerPixel === 4 ? 6 : 2, 0, 0, 0], 8);
  const compressed = await deflateAsync(applyUpFilter(pixels, width * bytesPerPixel, height), { level: 1, strategy });
  return Buffer.concat([pngSignature, pngChunk("IHDR", header), pngChunk("IDAT", compressed), pngChunk("IEND")]);
}

/** PNG filter type 2 (Up): each row as its difference from the row above. */
function applyUpFilter(pixels: Uint8Array, rowBytes: number, rows: number): Uint8Array {
  const result = new Uint8Array(rows * (rowBytes + 1));
  let to = 0;
  for (let from = 0; from < rows * rowBytes; from += rowBytes) {
    result[to++] = 2;
    if (from === 0) result.set(pixels.subarray(0, rowBytes), to);
    else for (let at = 0; at < rowBytes; at++) result[to + at] = pixels[from + at]! - pixels[from + at - rowBytes]!;
    to += rowBytes;
  }
  return result;
}

export function pngChunk(name: string, bytes: Uint8Array = Buffer.alloc(0)): Buffer {
  const nameAndData = Buffer.concat([Buffer.from(name, "latin1"), bytes]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(nameAndData));
  return Buffer.concat([length, nameAndData, checksum]);
}

/** The color metadata that ffmpeg writes into a PNG, and that image readers apply. */
const colorChunks: ReadonlySet<string> = new Set(["gAMA", "cHRM", "sRGB", "cICP"]);

/** Removes color metadata, so that readers use the pixel values unchanged. */
export function stripColorChunks(png: Uint8Array): Uint8Array {
  const bytes = Buffer.from(png.buffer, png.byteOffset, png.byteLength);
  const kept = [bytes.subarray(0, pngSignature.length)];
  // a chunk: length (4 bytes), name (4 bytes), data, CRC (4 bytes)
  for (let at = pngSignature.length; at + 12 <= bytes.length; ) {
    const end = at + 12 + bytes.readUInt32BE(at);
    if (!colorChunks.has(bytes.toString("latin1", at + 4, at + 8))) kept.push(bytes.subarray(at, end));
    at = end;
  }
  return Buffer.concat(kept);
}
