import { closeSync, openSync, writeSync } from "node:fs";
import { sum } from "../../platform/values.ts";
import { boxOf, stblPath, versionOf } from "./boxes.ts";
import { chooseSamples, type ReadSample } from "./choose-samples.ts";
import { readAt, readMovie, tracksOf } from "./movie.ts";
import { changeBoxes, printBox, printNumbers, printRuns, printWithout } from "./print-boxes.ts";
import type { Sample } from "./sample-table.ts";

type ExcerptRequest = {
  readonly path: string;
  readonly output: string;
  /** The times of the wanted frames, on the clock on which the first track starts at 0. */
  readonly seconds: readonly number[];
};

/**
 * Writes the part of an MP4 video that some of its frames need: those frames, and the frames that they may be predicted
 * from. All keep their times, and the other tracks their first samples, so that ffmpeg shows the same frame at the same
 * time. Throws for a file whose structure is complex or invalid.
 */
export function writeExcerpt({ path, output, seconds }: ExcerptRequest): void {
  const input = openSync(path, "r");
  const excerpt = openSync(output, "wx");
  try {
    const movie = readMovie(input);
    const { tracks, clockStart } = tracksOf(movie);
    const read = ({ offset, length, content }: Sample) => content ?? readAt(input, offset, length);
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

/** Writes chunks of one sample each, as `mdat` followed by `moov`. */
function writeFile(file: number, movie: Buffer, tracks: readonly (readonly Sample[])[], read: ReadSample): void {
  const type = printBox("ftyp", Buffer.from("isom\0\0\x02\0isomiso2avc1mp41", "latin1"));
  const data = tracks.flat();
  const mediaBytes = sum(data.map(({ length }) => length));
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

/** A sample at its position in the new file. */
type PlacedSample = Sample & { readonly placedAt: number };

/** A `moov` box whose tracks list other samples. `tracks` has the samples of each track. */
function rewriteTables(movie: Buffer, tracks: readonly (readonly PlacedSample[])[]): Buffer {
  const left = [...tracks];
  // safe because there are samples for each track
  const rewriteNext = (table: Buffer) => rewriteTable(table, left.shift()!);
  return printBox("moov", changeBoxes(movie, ["trak", ...stblPath], rewriteNext));
}

/** Boxes that refer to samples by number. Some are rewritten; the others only describe groups of samples. */
const sampleBoxes: ReadonlySet<string> = new Set([
  "stts",
  "ctts",
  "stsc",
  "stsz",
  "stz2",
  "stco",
  "co64",
  "stss",
  "stps",
  "sdtp",
  "sbgp",
  "stsh",
  "padb",
  "subs",
]);

function rewriteTable(table: Buffer, samples: readonly PlacedSample[]): Buffer {
  const shiftList = boxOf(table, "ctts");
  const shifts = samples.map(({ shiftTicks }) => shiftTicks);
  const sync = samples.flatMap(({ isSync }, index) => (isSync ? [index + 1] : []));
  const durations = samples.map((_, index) => durationAt(samples, index));
  return Buffer.concat([
    printWithout(table, sampleBoxes),
    printBox("stts", printRuns(durations)),
    ...(shiftList ? [printBox("ctts", printRuns(shifts, versionOf(shiftList)))] : []),
    printBox("stsc", printNumbers([1, 1, 1, 1])),
    printBox("stsz", printNumbers([0, samples.length, ...samples.map(({ length }) => length)])),
    printBox("stco", printNumbers([samples.length, ...samples.map(({ placedAt }) => placedAt)])),
    ...(boxOf(table, "stss") ? [printBox("stss", printNumbers([sync.length, ...sync]))] : []),
  ]);
}

/** The duration until the next sample, so that every sample keeps its time. */
function durationAt(samples: readonly Sample[], index: number): number {
  const [sample, next] = [samples[index]!, samples[index + 1]];
  return next ? next.decodeTicks - sample.decodeTicks : sample.durationTicks;
}
