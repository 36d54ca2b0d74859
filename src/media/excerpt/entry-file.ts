import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { constants, crc32, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import type { EntryPoint } from "./choose-samples.ts";
import { readAt } from "./movie.ts";

/**
 * Entry points of a video as they are stored: the length of the index in 4 bytes, the index, and the pictures, compressed:
 * to a half or a fourth, in 20 ms for each picture of HD.
 */
type Index = readonly {
  readonly sample: number;
  readonly pictures: readonly { readonly sample: number; readonly length: number; readonly checksum: number }[];
}[];

const maxIndexBytes = 2 ** 20;

const fast = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

export function writeEntries(path: string, entries: readonly EntryPoint[]): void {
  const contents: Buffer[] = [];
  const index: Index = entries.map((entry) => ({
    sample: entry.sample,
    pictures: entry.pictures().map(({ sample, content }) => {
      const compressed = zstdCompressSync(content, fast);
      contents.push(compressed);
      return { sample, length: compressed.length, checksum: crc32(compressed) };
    }),
  }));
  writeParts(path, index, contents);
}

/** Writes several files of entry points as one. */
export function joinEntries(paths: readonly string[], output: string): void {
  const parts = paths.map((path) => {
    const bytes = readFileSync(path);
    const start = 4 + bytes.readUInt32BE(0);
    // safe as in readEntries
    return { index: JSON.parse(bytes.toString("utf8", 4, start)) as Index, contents: bytes.subarray(start) };
  });
  writeParts(
    output,
    parts.flatMap(({ index }) => index),
    parts.map(({ contents }) => contents),
  );
}

function writeParts(path: string, index: Index, contents: readonly Buffer[]): void {
  const text = Buffer.from(JSON.stringify(index));
  const head = Buffer.alloc(4);
  head.writeUInt32BE(text.length);
  const file = openSync(path, "wx");
  try {
    for (const bytes of [head, text, ...contents]) writeSync(file, bytes);
  } finally {
    closeSync(file);
  }
}

/** Pictures are read when they are asked for. Both throw for a damaged file. */
export function readEntries(file: number): readonly EntryPoint[] {
  const length = readAt(file, 0, 4).readUInt32BE(0);
  // safe because only writeParts writes these files, and its pictures have checksums
  const index = JSON.parse(readAt(file, 4, length, maxIndexBytes).toString()) as Index;
  let at = 4 + length;
  return index.map(({ sample, pictures }) => {
    const places = pictures.map((picture) => {
      const place = { ...picture, at };
      at += picture.length;
      return place;
    });
    const read = () => places.map((place) => ({ sample: place.sample, content: readPicture(file, place) }));
    return { sample, pictures: read };
  });
}

type Place = { readonly at: number; readonly length: number; readonly checksum: number };

function readPicture(file: number, { at, length, checksum }: Place): Buffer {
  const content = readAt(file, at, length);
  if (crc32(content) !== checksum) throw new Error("A picture of an entry point is damaged.");
  return zstdDecompressSync(content);
}
