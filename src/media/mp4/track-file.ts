import { boxHeaderBytes, findBox, headerFields, readNumbers, requireBox, stblPath } from "./boxes.ts";

/** An MP4 file with one track. Times are in ticks of its timescale. */
export type TrackFile = {
  readonly path: string;
  /** The contents of these boxes. */
  readonly ftyp: Buffer;
  readonly moov: Buffer;
  readonly timescale: number;
  /** The presentation time at which playing begins. */
  readonly startTime: number;
  /** Where the samples begin: encoded frames, or packets of sound, one after another. */
  readonly position: number;
  /** The bytes of each sample. */
  readonly sizes: readonly number[];
  /** Of each sample, to the next one in decode order. */
  readonly durations: readonly number[];
  /** Of each sample, from its decode time to its presentation time. */
  readonly delays: readonly number[];
  /** Indices of samples. */
  readonly keyframes: ReadonlySet<number>;
};

/** Reads the index of an MP4 file of ours: it has one track, and its index lies before its samples. */
export async function readTrackFile(path: string): Promise<TrackFile> {
  const read = await readerOf(path);
  const ftyp = await readBoxAt(read, 0, "ftyp");
  const moov = await readBoxAt(read, ftyp.end, "moov");
  const trak = requireBox(moov.content, "trak");
  const track = { path, ftyp: ftyp.content, moov: moov.content, ...readTrak(trak) };
  await requireSamples(read, track);
  return track;
}

/** Returns bytes of a file, fewer at its end. */
type Read = (position: number, length: number) => Promise<Buffer>;

/** The index of a segment lies within these bytes, so that one reading is enough. */
const headBytes = 16 * 1024;

async function readerOf(path: string): Promise<Read> {
  const bytesAt = async (start: number, length: number): Promise<Buffer> => {
    const { buffer, byteOffset, byteLength } = await Bun.file(path)
      .slice(start, start + length)
      .bytes();
    return Buffer.from(buffer, byteOffset, byteLength);
  };
  const head = await bytesAt(0, headBytes);
  return async (position, length) =>
    position + length <= head.length ? head.subarray(position, position + length) : await bytesAt(position, length);
}

function readTrak(trak: Buffer) {
  const stbl = requireBox(trak, ...stblPath);
  const table = (type: string) => readNumbers(requireBox(stbl, type));
  const find = (type: string) => readNumbers(findBox(stbl, type) ?? Buffer.alloc(4));
  const [uniformSize = 0, count = 0, ...sizes] = table("stsz");
  const [, position = 0] = table("stco");
  const [, ...keyframes] = find("stss");
  return {
    timescale: requireBox(trak, "mdia", "mdhd").readUInt32BE(headerFields.mdhd.timescale),
    startTime: readStartTime(requireBox(trak, "edts", "elst")),
    position,
    sizes: uniformSize > 0 ? new Array<number>(count).fill(uniformSize) : sizes,
    durations: expandRuns(table("stts"), count),
    delays: expandRuns(find("ctts"), count),
    keyframes: new Set(keyframes.map((number) => number - 1)),
  };
}

function readStartTime(elst: Buffer): number {
  const [edits, , startTime = 0] = readNumbers(elst);
  if (edits !== 1) throw new Error("An MP4 file has more than one edit.");
  return startTime;
}

/** A table of runs of equal values: their number, and for each its length and its value. Zeros follow them. */
function expandRuns([, ...runs]: readonly number[], count: number): readonly number[] {
  const values = new Array<number>(count).fill(0);
  for (let index = 0, start = 0; index < runs.length; index += 2) {
    values.fill(runs[index + 1]!, start, start + runs[index]!);
    start += runs[index]!;
  }
  return values;
}

async function readBoxAt(read: Read, position: number, type: string) {
  const { length, ...header } = await readHeaderAt(read, position);
  if (header.type !== type) throw new Error(`An MP4 file has no box ${type} at its beginning.`);
  const content = await read(position + boxHeaderBytes, length);
  return { content, end: position + boxHeaderBytes + length };
}

async function readHeaderAt(read: Read, position: number) {
  const header = await read(position, boxHeaderBytes);
  return { type: header.toString("latin1", 4), length: header.readUInt32BE(0) - boxHeaderBytes };
}

/** Throws unless the samples fill their box: then nothing lies between them. */
async function requireSamples(read: Read, { position, sizes }: TrackFile): Promise<void> {
  const { type, length } = await readHeaderAt(read, position - boxHeaderBytes);
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  if (type !== "mdat" || length !== bytes) throw new Error("The samples of an MP4 file do not lie side by side.");
}
