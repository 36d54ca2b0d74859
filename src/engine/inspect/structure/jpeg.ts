import { requireAtMost, requirePixelLimit, requireWorkLimit } from "./refusal.ts";

// decoders keep the metadata segments; a file of the largest size has 1,600 full ones, a photo with a depth map 400
const maxSegments = 4_000;

// encoders write ten, optimizers up to thirty; Skia itself stops at a hundred
const maxScans = 100;

/** Each scan visits all pixels; a 50-megapixel photo has ten scans, a 12-megapixel one may have eighty. */
const maxPasses = 20;

const startOfScan = 0xda;
const endOfImage = 0xd9;

/** Walks the segments up to the end of the image: data that phones append is not decoded. */
export function validateJpeg(file: Buffer): void {
  let segments = 0;
  let scans = 0;
  let pixels = 0;
  for (let at = nextMarker(file, 2); at + 4 <= file.length; at = nextMarker(file, at + 2 + lengthAt(file, at))) {
    const marker = file[at + 1]!;
    if (marker === endOfImage) return;
    requireAtMost(++segments, maxSegments, "parts with metadata");
    if (isFrame(marker)) pixels = Math.max(pixels, pixelsOf(file, at));
    if (marker !== startOfScan) continue;
    requireAtMost(++scans, maxScans, "scans");
    requireWorkLimit(scans * pixels, maxPasses);
  }
}

/** A length below two, which includes its own bytes, does not move decoders back. */
const lengthAt = (file: Buffer, at: number) => Math.max(2, file.readUInt16BE(at + 2));

/** Start of frame (SOF0..SOF15), without the codes of DHT, JPG and DAC in this range. */
const isFrame = (marker: number) =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;

function pixelsOf(file: Buffer, at: number): number {
  if (at + 9 > file.length) return 0;
  const size = { width: file.readUInt16BE(at + 7), height: file.readUInt16BE(at + 5) };
  requirePixelLimit(size);
  return size.width * size.height;
}

/** A run of bytes without 0xff after which a native search is faster than a loop. */
const shortRun = 32;

/**
 * The offset of the next marker that begins a segment or ends the image; the file's length if there is none. Like
 * decoders, it skips data, fill bytes and restart markers wherever they stand.
 */
export function nextMarker(file: Buffer, from: number): number {
  let at = from;
  while (at + 1 < file.length) {
    const runEnd = Math.min(at + shortRun, file.length);
    while (at < runEnd && file[at] !== 0xff) at++;
    if (at === runEnd) at = file.indexOf(0xff, at);
    if (at < 0 || at + 1 >= file.length) break;
    if (hasLength(file[at + 1]!)) return at;
    at += file[at + 1] === 0xff ? 1 : 2;
  }
  return file.length;
}

/** False for stuffing (0x00), TEM (0x01), restarts (0xd0..0xd7) and fill bytes (0xff). */
const hasLength = (code: number) => code > 0x01 && code !== 0xff && (code < 0xd0 || code > 0xd7);
