import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { boxesIn, boxOf } from "./boxes.ts";
import { readTrack, type Track, timescaleOf } from "./sample-table.ts";

/** A part of a file. */
export type Extent = { readonly start: number; readonly end: number };

/** A box, and the position of its content. */
type BoxExtent = Extent & { readonly type: string };

export function withFile<Result>(path: string, use: (file: number) => Result): Result {
  const file = openSync(path, "r");
  try {
    return use(file);
  } finally {
    closeSync(file);
  }
}

const maxTopLevelBoxes = 1000;

/** The first `moov` box of a file. */
export function findMovie(file: number): BoxExtent | undefined {
  let left = maxTopLevelBoxes;
  for (const box of boxExtentsIn(file, { start: 0, end: fstatSync(file).size })) {
    if (box.type === "moov") return box;
    if (--left === 0) break;
  }
  return undefined;
}

/** The boxes of a sequence, without their contents. One that ends after its parent is truncated. */
export function* boxExtentsIn(file: number, { start, end }: Extent): Generator<BoxExtent> {
  for (let at = start; at + 8 <= end; ) {
    const head = bytesAt(file, { start: at, end }, 0, 16);
    const short = head.readUInt32BE(0);
    const isLong = short === 1 && head.length === 16;
    const headBytes = isLong ? 16 : 8;
    const length = isLong ? Number(head.readBigUInt64BE(8)) : short || end - at;
    if (length < headBytes) return;
    yield { type: head.toString("latin1", 4, 8), start: at + headBytes, end: Math.min(at + length, end) };
    at += length;
  }
}

/** Returns fewer bytes if the box or the file ends earlier. */
export function bytesAt(file: number, { start, end }: Extent, offset: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(length, end - start - offset)));
  return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, start + offset));
}

const maxMovieBytes = 32 * 2 ** 20;

/** The content of the `moov` box. */
export function readMovie(file: number): Buffer {
  const movie = findMovie(file);
  if (!movie) throw new Error("The file has no index.");
  return readAt(file, movie.start, movie.end - movie.start, maxMovieBytes);
}

/** All tracks; tracks without video have only their first sample. */
export function tracksOf(movie: Buffer) {
  if (boxOf(movie, "mvex")) throw new Error("The file is fragmented.");
  const ticksPerSecond = timescaleOf(boxOf(movie, "mvhd") ?? Buffer.alloc(0));
  const boxes = [...boxesIn(movie)].filter(({ type }) => type === "trak");
  const starts = boxes.map(({ content }) => readTrack(content, ticksPerSecond, 1));
  if (starts.filter(({ handler }) => handler === "vide").length !== 1) throw new Error("The file has several videos.");
  const tracks = starts.map((start, index) =>
    start.handler === "vide" ? readTrack(boxes[index]!.content, ticksPerSecond) : start,
  );
  // the first sample in decoding order is displayed first, or a few frames later, which the tolerance covers
  const clockStart = Math.max(0, Math.min(...tracks.map(startOf).filter((start) => start !== undefined)));
  return { tracks, clockStart };
}

function startOf({ samples, originSeconds, ticksPerSecond }: Track): number | undefined {
  const [first] = samples;
  return first && originSeconds + (first.decodeTicks + first.shiftTicks) / ticksPerSecond;
}

const maxSampleBytes = 64 * 2 ** 20;

/** Throws if the file ends earlier, or for more bytes than a part of a video has. */
export function readAt(file: number, offset: number, length: number, maxBytes = maxSampleBytes): Buffer {
  if (length > maxBytes) throw new Error("A part of the file is too large.");
  const bytes = Buffer.alloc(length);
  if (readSync(file, bytes, 0, length, offset) < length) throw new Error("The file is incomplete.");
  return bytes;
}
