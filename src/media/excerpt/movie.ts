import { fstatSync, readSync } from "node:fs";
import { boxesIn, boxOf } from "../inspect/structure/boxes.ts";
import { findMovie } from "../inspect/structure/movie.ts";
import { readTrack, type Track, timescaleOf } from "./sample-table.ts";

const maxMovieBytes = 32 * 2 ** 20;

/** The content of the `moov` box. */
export function readMovie(file: number): Buffer {
  const movie = findMovie(file, fstatSync(file).size);
  if (!movie) throw new Error("The file has no index.");
  return readAt(file, movie.start, movie.end - movie.start, maxMovieBytes);
}

/** All tracks; of those without video, only the first sample. */
export function tracksOf(movie: Buffer) {
  if (boxOf(movie, "mvex")) throw new Error("The file is fragmented.");
  const ticksPerSecond = timescaleOf(boxOf(movie, "mvhd") ?? Buffer.alloc(0));
  const boxes = [...boxesIn(movie)].filter(({ type }) => type === "trak");
  const starts = boxes.map(({ content }) => readTrack(content, ticksPerSecond, 1));
  if (starts.filter(({ handler }) => handler === "vide").length !== 1) throw new Error("The file has several videos.");
  const tracks = starts.map((start, index) =>
    start.handler === "vide" ? readTrack(boxes[index]!.content, ticksPerSecond) : start,
  );
  // the first sample in decoding order is shown first, or a few frames after, which the tolerance covers
  const clockStart = Math.max(0, Math.min(...tracks.map(startOf).filter((start) => start !== undefined)));
  return { tracks, clockStart };
}

function startOf({ samples, originSeconds, ticksPerSecond }: Track): number | undefined {
  const [first] = samples;
  return first && originSeconds + (first.decodeTicks + first.shiftTicks) / ticksPerSecond;
}

const maxSampleBytes = 64 * 2 ** 20;

/** Throws if the file ends before, or if there are more bytes than a part of a video has. */
export function readAt(file: number, offset: number, length: number, maxBytes = maxSampleBytes): Buffer {
  if (length > maxBytes) throw new Error("A part of the file is too large.");
  const bytes = Buffer.alloc(length);
  if (readSync(file, bytes, 0, length, offset) < length) throw new Error("The file is incomplete.");
  return bytes;
}
