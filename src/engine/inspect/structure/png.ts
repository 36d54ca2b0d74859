import { requireAtMost, requirePixelLimit } from "./refusal.ts";

// a file of the largest size in chunks of 4 KB, the smallest that encoders write, has 25,000; animations two a frame
const maxChunks = 50_000;

// each inflates to 8 MB at most in libpng, which takes 6 ms; editors write ten
const maxCompressedChunks = 100;

const compressedChunks: ReadonlySet<string> = new Set(["zTXt", "iTXt", "iCCP"]);

const signatureBytes = 8;

/** Walks the chunks: length (4 bytes), name (4 bytes), data, CRC (4 bytes). */
export function validatePng(file: Buffer): void {
  let chunks = 0;
  let compressed = 0;
  for (let at = signatureBytes; at + 12 <= file.length; at += 12 + file.readUInt32BE(at)) {
    const name = file.toString("latin1", at + 4, at + 8);
    requireAtMost(++chunks, maxChunks, "chunks");
    if (compressedChunks.has(name)) requireAtMost(++compressed, maxCompressedChunks, "compressed texts");
    if (name === "IHDR") requireSize(file, at + 8);
    // the size of an animation's frame follows its number
    if (name === "fcTL") requireSize(file, at + 12);
    if (name === "IEND") return;
  }
}

function requireSize(file: Buffer, at: number): void {
  if (at + 8 <= file.length) requirePixelLimit({ width: file.readUInt32BE(at), height: file.readUInt32BE(at + 4) });
}
