import { promisify } from "node:util";
import { crc32, deflate } from "node:zlib";
import type { Canvas } from "../../timeline/timeline.ts";

const pack = promisify(deflate);

const signature = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
const bytesPerPixel = 3;

/**
 * Pixels of three bytes as a PNG, packed for speed. Not by ffmpeg: that is slower, and writes down the film's gamma,
 * which browsers would apply.
 */
export async function encodePng(pixels: Uint8Array, { width, height }: Canvas): Promise<Uint8Array> {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // eight bits a channel, red, green and blue, in the usual order
  header.set([8, 2, 0, 0, 0], 8);
  const packed = await pack(filtered(pixels, width * bytesPerPixel, height), { level: 1 });
  return Buffer.concat([signature, chunk("IHDR", header), chunk("IDAT", packed), chunk("IEND", Buffer.alloc(0))]);
}

/** Each row as its difference from the one above: PNG's filter 2. */
function filtered(pixels: Uint8Array, rowBytes: number, rows: number): Uint8Array {
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

function chunk(name: string, bytes: Uint8Array): Buffer {
  const named = Buffer.concat([Buffer.from(name, "latin1"), bytes]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(bytes.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

/** What ffmpeg writes of a film's light into a PNG, and whoever draws the picture would apply. */
const aboutLight: ReadonlySet<string> = new Set(["gAMA", "cHRM", "sRGB", "cICP"]);

/** A PNG whose numbers are colors as they are: without the chunks that tell otherwise. */
export function withPlainColors(png: Uint8Array): Uint8Array {
  const bytes = Buffer.from(png.buffer, png.byteOffset, png.byteLength);
  const kept = [bytes.subarray(0, signature.length)];
  // a chunk is its length, its name, that many bytes and a sum of four
  for (let at = signature.length; at + 12 <= bytes.length; ) {
    const end = at + 12 + bytes.readUInt32BE(at);
    if (!aboutLight.has(bytes.toString("latin1", at + 4, at + 8))) kept.push(bytes.subarray(at, end));
    at = end;
  }
  return Buffer.concat(kept);
}
