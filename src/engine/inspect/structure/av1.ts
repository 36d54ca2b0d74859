import { requireAtMost, requirePixelLimit, requireReadable, requireWorkLimit, type Size } from "./refusal.ts";

// a tile is a separate unit in some files, and a grid has up to two thousand pictures of three units
const maxUnits = 20_000;

/** Color, alpha and a second layer for the largest image; a file with small pictures may have many. */
const maxPasses = 3;

/** The cost of one file's pictures so far. The last sequence header also applies to pictures without one. */
export type PictureCosts = { units: number; pixels: number; framePixels: number };

const sequenceHeader = 1;
const frameHeader = 3;
const frame = 6;

/** Walks the units of a coded picture. The size in its sequence header is what a decoder allocates for each frame. */
export function addPicture(costs: PictureCosts, data: Buffer): void {
  for (const { type, payload } of unitsIn(data)) {
    requireAtMost(++costs.units, maxUnits, "parts of coded pictures");
    if (type === sequenceHeader) costs.framePixels = pixelsOf(sizeOf(payload));
    if (type === frameHeader || type === frame) costs.pixels += costs.framePixels;
    requireWorkLimit(costs.pixels, maxPasses);
  }
}

function pixelsOf(size: Size): number {
  requirePixelLimit(size);
  return size.width * size.height;
}

type Unit = { readonly type: number; readonly payload: Buffer };

/** A unit: type and flags, an optional byte of layers, an optional length (LEB128), the payload. */
function* unitsIn(data: Buffer): Generator<Unit> {
  for (let at = 0; at < data.length; ) {
    const head = data[at]!;
    const type = (head >> 3) & 0b1111;
    let start = at + (head & 0b100 ? 2 : 1);
    let length = data.length - start;
    if (head & 0b10) ({ start, length } = leb128(data, start));
    yield { type, payload: data.subarray(start, start + length) };
    at = start + length;
  }
}

function leb128(data: Buffer, at: number): { readonly start: number; readonly length: number } {
  let length = 0;
  for (let index = 0; index < 8; index++) {
    const byte = data[at + index] ?? 0;
    length += (byte & 0x7f) * 2 ** (7 * index);
    if (byte < 0x80) return { start: at + index + 1, length };
  }
  return { start: at + 8, length };
}

/** The largest size of the frames, by AV1's sequence_header_obu(). */
function sizeOf(payload: Buffer): Size {
  const take = bitsIn(payload);
  // the profile and whether the picture is still
  take(4);
  const isReduced = take(1) === 1;
  if (isReduced) take(5);
  else skipOperatingPoints(take);
  const widthBits = take(4) + 1;
  const heightBits = take(4) + 1;
  return { width: take(widthBits) + 1, height: take(heightBits) + 1 };
}

type TakeBits = (count: number) => number;

function skipOperatingPoints(take: TakeBits): void {
  const hasTiming = take(1) === 1;
  const delayBits = hasTiming ? skipTiming(take) : undefined;
  const hasInitialDelay = take(1) === 1;
  for (let left = take(5); left >= 0; left--) {
    take(12);
    // levels above 7 have a tier
    if (take(5) > 7) take(1);
    if (delayBits && take(1)) [delayBits, delayBits, 1].map(take);
    if (hasInitialDelay && take(1)) take(4);
  }
}

/** The number of bits of a decoder model's delays; undefined without a decoder model. */
function skipTiming(take: TakeBits): number | undefined {
  // the units and the scale
  take(32);
  take(32);
  if (take(1)) skipVariableLength(take);
  if (!take(1)) return undefined;
  const delayBits = take(5) + 1;
  // the unit of the decoding clock, and two lengths
  take(32);
  take(10);
  return delayBits;
}

/** Skips as many bits as zeros precede the first one. */
function skipVariableLength(take: TakeBits): void {
  let zeros = 0;
  while (zeros < 32 && take(1) === 0) zeros++;
  if (zeros < 32) take(zeros);
}

/** Takes bits, most significant first. Throws unsupported_media_type at the end of the bytes. */
function bitsIn(bytes: Buffer): TakeBits {
  let at = 0;
  return (count) => {
    requireReadable(at + count <= 8 * bytes.length);
    let value = 0;
    for (const end = at + count; at < end; at++) value = value * 2 + ((bytes[at >> 3]! >> (7 - (at & 7))) & 1);
    return value;
  };
}
