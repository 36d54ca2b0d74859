import { requireAtMost, requirePixelLimit, type Size } from "./refusal.ts";

// stickers and converted GIFs have up to a thousand frames, each of up to three chunks
const maxChunks = 10_000;

/** Walks the chunks of a WebP, also those inside the frames of an animation. */
export function validateWebp(file: Buffer): void {
  // name (4 bytes), length, "WEBP"
  validateChunks(file, { from: 12, end: file.length, chunks: 0 });
}

type Range = { readonly from: number; readonly end: number; readonly chunks: number };

/** The number of chunks so far. A chunk: name (4 bytes), length, data, filled up to an even length. */
function validateChunks(file: Buffer, { from, end, chunks: before }: Range): number {
  let chunks = before;
  for (let at = from; at + 8 <= end; ) {
    requireAtMost(++chunks, maxChunks, "parts");
    const name = file.toString("latin1", at, at + 4);
    const length = file.readUInt32LE(at + 4);
    const size = sizeIn(name, file.subarray(at + 8, Math.min(at + 8 + length, end)));
    if (size) requirePixelLimit(size);
    const next = at + 8 + length + (length & 1);
    if (name === "ANMF")
      chunks = validateChunks(file, { from: at + 8 + frameHeadBytes, end: Math.min(next, end), chunks });
    at = next;
  }
  return chunks;
}

const frameHeadBytes = 16;

function sizeIn(name: string, data: Buffer): Size | undefined {
  if (name === "VP8X" && data.length >= 10)
    return { width: data.readUIntLE(4, 3) + 1, height: data.readUIntLE(7, 3) + 1 };
  if (name === "ANMF" && data.length >= frameHeadBytes) return frameEdges(data);
  if (name === "VP8 " && data.length >= 10)
    return { width: data.readUInt16LE(6) & 0x3fff, height: data.readUInt16LE(8) & 0x3fff };
  if (name === "VP8L" && data.length >= 5) return losslessSize(data.readUInt32LE(1));
  return undefined;
}

/** The frame's position, in units of two pixels, and its size. */
const frameEdges = (data: Buffer): Size => ({
  width: 2 * data.readUIntLE(0, 3) + data.readUIntLE(6, 3) + 1,
  height: 2 * data.readUIntLE(3, 3) + data.readUIntLE(9, 3) + 1,
});

/** Two sizes less one, of 14 bits each. */
const losslessSize = (bits: number): Size => ({ width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 });
