import { open } from "node:fs/promises";

type GifSegment = { readonly path: string; readonly frames: number };

type GifOptions = {
  /** The time of a frame, in hundredths of a second. */
  readonly frameDelay: number;
  /** True if each frame replaces the one before it, and does not lie over it. */
  readonly isTransparent: boolean;
};

/** Joins GIF files, each with the same palette, to one that repeats forever. Throws for a file with other frames. */
export async function joinGifs(segments: readonly GifSegment[], output: string, options: GifOptions): Promise<void> {
  const file = await open(output, "w");
  try {
    let palette: Buffer | undefined;
    for (const { path, frames } of segments) {
      const gif = readGif(mapped(path));
      if (gif.frames.length !== frames) {
        throw new Error(`A segment has ${gif.frames.length} frames instead of ${frames}.`);
      }
      if (!palette) await file.writeFile(Buffer.concat([gif.head, gif.palette, repeatForever]));
      palette ??= Buffer.from(gif.palette);
      const ownPalette = gif.palette.equals(palette) ? undefined : gif.palette;
      for (const frame of gif.frames) await file.writeFile(Buffer.concat(printFrame(frame, ownPalette, options)));
    }
    await file.writeFile(Buffer.of(trailer));
  } finally {
    await file.close();
  }
}

/** A segment can have a hundred megabytes, of which one frame is in use at a time. */
function mapped(path: string): Buffer {
  const { buffer, byteOffset, byteLength } = Bun.mmap(path);
  return Buffer.from(buffer, byteOffset, byteLength);
}

type GifFrame = {
  /** The index of the transparent color. */
  readonly transparent: number | undefined;
  /** Separator, position and size. */
  readonly place: Buffer;
  readonly flags: number;
  readonly palette: Buffer;
  readonly data: Buffer;
};

type Gif = { readonly head: Buffer; readonly palette: Buffer; readonly frames: readonly GifFrame[] };

const trailer = 0x3b;
const extension = 0x21;
const control = 0xf9;
const separator = 0x2c;
const repeatForever = Buffer.from("\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00", "latin1");

const paletteBytes = (flags: number): number => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);

/** Reads a GIF that this service has encoded. */
function readGif(gif: Buffer): Gif {
  const headBytes = 13;
  const paletteEnd = headBytes + paletteBytes(gif[10]!);
  const frames: GifFrame[] = [];
  let transparent: number | undefined;
  for (let at = paletteEnd; at < gif.length && gif[at] !== trailer; ) {
    if (gif[at] === extension) {
      if (gif[at + 1] === control) transparent = gif[at + 3]! & 1 ? gif[at + 6] : undefined;
      at = blocksEnd(gif, at + 2);
      continue;
    }
    if (gif[at] !== separator) throw new Error("The GIF has an unknown part.");
    const flags = gif[at + 9]!;
    const dataStart = at + 10 + paletteBytes(flags);
    const end = blocksEnd(gif, dataStart + 1);
    const palette = gif.subarray(at + 10, dataStart);
    frames.push({ transparent, place: gif.subarray(at, at + 9), flags, palette, data: gif.subarray(dataStart, end) });
    transparent = undefined;
    at = end;
  }
  return { head: gif.subarray(0, headBytes), palette: gif.subarray(headBytes, paletteEnd), frames };
}

/** The position after blocks that each begin with their length, of which the last is empty. */
function blocksEnd(gif: Buffer, start: number): number {
  let at = start;
  while (gif[at]! > 0) at += 1 + gif[at]!;
  return at + 1;
}

const keepFrame = 1;
const clearFrame = 2;

function printFrame(
  { transparent, place, flags, palette, data }: GifFrame,
  ownPalette: Buffer | undefined,
  { frameDelay, isTransparent }: GifOptions,
): readonly Buffer[] {
  const disposal = isTransparent ? clearFrame : keepFrame;
  const controlBytes = [extension, control, 4, (disposal << 2) | (transparent === undefined ? 0 : 1)];
  const timing = Buffer.of(...controlBytes, frameDelay & 0xff, frameDelay >> 8, transparent ?? 0, 0);
  if (palette.length > 0 || !ownPalette) return [timing, place, Buffer.of(flags), palette, data];
  const sizeBits = Math.log2(ownPalette.length / 3) - 1;
  return [timing, place, Buffer.of(0x80 | (flags & 0x40) | sizeBits), ownPalette, data];
}
