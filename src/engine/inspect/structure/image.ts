import type { Container } from "../../timeline/source.ts";
import { validateAvif } from "./avif.ts";
import { validateJpeg } from "./jpeg.ts";
import { validatePng } from "./png.ts";
import { requireAtMost, requirePixelLimit } from "./refusal.ts";
import { validateWebp } from "./webp.ts";

// a hundred frames a second, the format's maximum, for 100 s
const maxFrames = 10_000;

// a file of the largest size has 400,000 full ones, of 255 bytes
const maxBlocks = 500_000;

const extension = 0x21;
const frame = 0x2c;

/** Walks the blocks of a GIF. Decoders allocate its screen, or its first frame if that is larger. */
function validateGif(file: Buffer): void {
  if (file.length < 13) return;
  requirePixelLimit({ width: file.readUInt16LE(6), height: file.readUInt16LE(8) });
  let frames = 0;
  let blocks = 0;
  let at = 13 + paletteBytes(file[10]!);
  while (at + 10 <= file.length && (file[at] === extension || file[at] === frame)) {
    if (file[at] === frame) {
      requireAtMost(++frames, maxFrames, "frames");
      requirePixelLimit({ width: edge(file, at + 1), height: edge(file, at + 3) });
    }
    at += headBytes(file, at);
    // blocks of data until an empty one
    for (; at < file.length && file[at] !== 0; at += 1 + file[at]!) requireAtMost(++blocks, maxBlocks, "blocks");
    at++;
    blocks++;
  }
}

const paletteBytes = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);

/** The position of a frame and its length. */
const edge = (file: Buffer, at: number) => file.readUInt16LE(at) + file.readUInt16LE(at + 4);

/** The bytes before the data: the kind of an extension; the position, palette and code size of a frame. */
const headBytes = (file: Buffer, at: number) => (file[at] === extension ? 2 : 11 + paletteBytes(file[at + 9]!));

const validators: Partial<Record<Container, (file: Buffer) => void>> = {
  jpeg: validateJpeg,
  png: validatePng,
  gif: validateGif,
  webp: validateWebp,
  avif: validateAvif,
};

/**
 * Walks the container of an image, without decoding it or allocating memory for its parts. Throws
 * unsupported_media_type if decoding would cost far more than the image's pixels, or if a part of it has too many.
 * Call it before Skia gets the bytes: Skia begins to decode when it gets them.
 */
export function requireBoundedStructure(bytes: Uint8Array, container: Container): void {
  validators[container]?.(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
}
