import { closeSync, openSync, readSync, writeSync } from "node:fs";
import { boxesIn, boxOf } from "../inspect/structure/boxes.ts";
import { chooseSamples, type ReadSample } from "./choose-samples.ts";
import { readTrack, type Sample, type Track, timescaleOf } from "./sample-table.ts";
import { box, type PlacedSample, rewriteTables } from "./write-tables.ts";

export type ExcerptRequest = {
  readonly path: string;
  readonly output: string;
  /** Of the wanted frames, on the clock on which the first track starts at 0. */
  readonly seconds: readonly number[];
};

/**
 * Writes the part of an MP4 video that some of its frames need: those frames, and the frames that they may be predicted
 * from. All keep their times, and the other tracks their first samples, so that ffmpeg shows the same frame at the same
 * time. Throws for a file whose structure is not simple, or not right.
 */
export function writeExcerpt({ path, output, seconds }: ExcerptRequest): void {
  const input = openSync(path, "r");
  const excerpt = openSync(output, "wx");
  try {
    const movie = readMovie(input);
    const { tracks, clockStart } = tracksOf(movie);
    const read = ({ offset, length }: Sample) => readAt(input, offset, length);
    const times = seconds.map((time) => time + clockStart);
    const chosen = tracks.map((track) =>
      track.handler === "vide" ? chooseSamples(track, times, read) : track.samples,
    );
    writeFile(excerpt, movie, chosen, read);
  } finally {
    closeSync(input);
    closeSync(excerpt);
  }
}

const maxMovieBytes = 32 * 2 ** 20;
const maxTopLevelBoxes = 1000;

/** The content of the `moov` box. */
function readMovie(file: number): Buffer {
  for (let at = 0, boxes = 0; boxes < maxTopLevelBoxes; boxes++) {
    const head = readAt(file, at, 16);
    const short = head.readUInt32BE(0);
    const [headBytes, length] = short === 1 ? [16, Number(head.readBigUInt64BE(8))] : [8, short];
    if (length < headBytes) break;
    if (head.toString("latin1", 4, 8) === "moov")
      return readAt(file, at + headBytes, length - headBytes, maxMovieBytes);
    at += length;
  }
  throw new Error("The file has no index.");
}

/** All tracks; of those without video, only the first sample. */
function tracksOf(movie: Buffer) {
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

/** Of one sample each, as `mdat` and behind it `moov`. */
function writeFile(file: number, movie: Buffer, tracks: readonly (readonly Sample[])[], read: ReadSample): void {
  const type = box("ftyp", Buffer.from("isom\0\0\x02\0isomiso2avc1mp41", "latin1"));
  const data = tracks.flat();
  const mediaBytes = data.reduce((sum, { length }) => sum + length, 0);
  const head = Buffer.from("\0\0\0\0mdat", "latin1");
  head.writeUInt32BE(head.length + mediaBytes);
  let end = writeSync(file, Buffer.concat([type, head]));
  const place = (sample: Sample): PlacedSample => {
    const placed = { ...sample, placedAt: end };
    end += writeSync(file, read(sample));
    return placed;
  };
  const placed = tracks.map((samples) => samples.map(place));
  writeSync(file, rewriteTables(movie, placed));
}

const maxSampleBytes = 64 * 2 ** 20;

function readAt(file: number, offset: number, length: number, maxBytes = maxSampleBytes): Buffer {
  if (length > maxBytes) throw new Error("A part of the file is too large.");
  const bytes = Buffer.alloc(length);
  if (readSync(file, bytes, 0, length, offset) < length) throw new Error("The file is incomplete.");
  return bytes;
}
