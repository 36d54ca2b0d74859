import { type Box, boxOf, numbersIn, requireBox, stblPath, versionOf } from "./boxes.ts";
import { onlySampleEntry } from "./sample-entry.ts";

/** Times are in ticks of the track's media. */
export type Sample = {
  readonly decodeTicks: number;
  /** The display time minus the decoding time. */
  readonly shiftTicks: number;
  readonly durationTicks: number;
  /** The position in the file. */
  readonly offset: number;
  readonly length: number;
  /** True if the container lists it as a sync sample. */
  readonly isSync: boolean;
  /** Replaces the bytes in the file. */
  readonly content?: Buffer;
};

export type Track = {
  /** The type, such as "vide" and "soun". */
  readonly handler: string;
  readonly ticksPerSecond: number;
  /** The content of the first entry of `stsd`, with its type. */
  readonly format: Box;
  /** The samples in decoding order. */
  readonly samples: readonly Sample[];
  /** The display time of a sample whose display ticks are 0, in seconds of the movie. */
  readonly originSeconds: number;
};

/** An hour at 60 frames a second. */
const maxSamples = 216_000;

/** Throws for a rare layout, such as several edits or sample formats. `limit` counts samples. */
export function readTrack(track: Buffer, movieTicksPerSecond: number, limit = maxSamples): Track {
  const table = requireBox(track, ...stblPath);
  const ticksPerSecond = timescaleOf(requireBox(track, "mdia", "mdhd"));
  return {
    handler: requireBox(track, "mdia", "hdlr").toString("latin1", 8, 12),
    ticksPerSecond,
    format: onlySampleEntry(requireBox(table, "stsd")),
    samples: readSamples(table, limit),
    originSeconds: originOf(track, { movieTicksPerSecond, ticksPerSecond }),
  };
}

/** The timescale in an `mvhd` or `mdhd` box. */
export function timescaleOf(header: Buffer): number {
  const ticks = header.readUInt32BE(versionOf(header) === 1 ? 20 : 12);
  if (ticks === 0) throw new Error("The clock has no ticks.");
  return ticks;
}

type Clocks = { readonly movieTicksPerSecond: number; readonly ticksPerSecond: number };

/** Reads the edit list: at most one empty edit, and then one edit of the media. */
function originOf(track: Buffer, { movieTicksPerSecond, ticksPerSecond }: Clocks): number {
  const list = boxOf(boxOf(track, "edts") ?? Buffer.alloc(0), "elst");
  if (!list) return 0;
  const { take } = numbersIn(list.subarray(4));
  const width = versionOf(list) === 1 ? 8 : 4;
  const empty = 2 ** (8 * width) - 1;
  let seconds = 0;
  for (let remaining = take(4); remaining > 0; remaining--) {
    const duration = take(width);
    const mediaTicks = take(width);
    const isNormalRate = take(4) === 0x10000;
    if (mediaTicks < empty) {
      if (remaining > 1 || !isNormalRate) throw new Error("The track has several edits.");
      return seconds - mediaTicks / ticksPerSecond;
    }
    seconds += duration / movieTicksPerSecond;
  }
  return seconds;
}

function readSamples(table: Buffer, limit: number): readonly Sample[] {
  const lengths = lengthsOf(requireBox(table, "stsz"), limit);
  const count = lengths.length;
  const durations = expandRuns(requireBox(table, "stts"), count, (bytes, at) => bytes.readUInt32BE(at));
  const shiftList = boxOf(table, "ctts");
  const shifts = shiftList && expandRuns(shiftList, count, (bytes, at) => bytes.readInt32BE(at));
  const offsets = offsetsOf(table, lengths);
  const syncList = boxOf(table, "stss");
  const sync =
    syncList && new Set(Array.from({ length: syncList.readUInt32BE(4) }, (_, at) => wordAt(syncList, at + 2)));
  let decodeTicks = 0;
  return lengths.map((length, index) => {
    const durationTicks = durations[index]!;
    const [shiftTicks, isSync] = [shifts?.[index] ?? 0, sync?.has(index + 1) ?? true];
    const sample = { decodeTicks, shiftTicks, durationTicks, offset: offsets[index]!, length, isSync };
    decodeTicks += durationTicks;
    return sample;
  });
}

const wordAt = (box: Buffer, index: number) => box.readUInt32BE(4 * index);

function lengthsOf(list: Buffer, limit: number): readonly number[] {
  const [, common, total] = [0, 1, 2].map((index) => wordAt(list, index)) as [number, number, number];
  const length = Math.min(total, limit);
  if (limit >= maxSamples && total > maxSamples) throw new Error("The track has too many samples.");
  return Array.from({ length }, (_, index) => common || wordAt(list, index + 3));
}

/** Lists of runs: a count and a value, each of 32 bits. */
function expandRuns(list: Buffer, count: number, read: (bytes: Buffer, at: number) => number): readonly number[] {
  const values: number[] = [];
  for (let run = 0; run < wordAt(list, 1) && values.length < count; run++) {
    const at = 8 + 8 * run;
    const value = read(list, at + 4);
    for (let left = list.readUInt32BE(at); left > 0 && values.length < count; left--) values.push(value);
  }
  if (values.length < count) throw new Error("A list of the track is too short.");
  return values;
}

/** The runs of chunks with the same number of samples: first chunk, samples in each, sample format. */
function offsetsOf(table: Buffer, lengths: readonly number[]): readonly number[] {
  const wide = boxOf(table, "co64");
  const chunks = wide ?? requireBox(table, "stco");
  const offsetOf = (chunk: number) =>
    wide ? Number(chunks.readBigUInt64BE(8 + 8 * chunk)) : chunks.readUInt32BE(8 + 4 * chunk);
  const runs = requireBox(table, "stsc");
  const runCount = wordAt(runs, 1);
  const offsets: number[] = [];
  for (let run = 0; run < runCount && offsets.length < lengths.length; run++) {
    const [first, perChunk] = [wordAt(runs, 2 + 3 * run), wordAt(runs, 3 + 3 * run)];
    const end = run + 1 < runCount ? wordAt(runs, 5 + 3 * run) : wordAt(chunks, 1) + 1;
    for (let chunk = first; chunk < end && offsets.length < lengths.length; chunk++) {
      let at = offsetOf(chunk - 1);
      for (let left = perChunk; left > 0 && offsets.length < lengths.length; left--) {
        offsets.push(at);
        at += lengths[offsets.length - 1]!;
      }
    }
  }
  if (offsets.length < lengths.length) throw new Error("The track has samples without a position.");
  return offsets;
}
