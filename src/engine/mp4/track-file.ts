import { type Box, boxHeaderBytes, headerFields, requireBox } from "./boxes.ts";
import { readTrack, type Track, timescaleOf } from "./sample-table.ts";

/** An MP4 file with one track, whose samples are contiguous. */
export type TrackFile = Track & {
  readonly path: string;
  /** The contents of these boxes. */
  readonly ftyp: Buffer;
  readonly moov: Buffer;
  readonly trak: Buffer;
  /** The presentation time at which playing begins, in ticks. */
  readonly startTicks: number;
};

/** Reads the index of an MP4 file that the service made: it has one track, and its index precedes its samples. */
export async function readTrackFile(path: string): Promise<TrackFile> {
  const read = await readerOf(path);
  const ftyp = await readBoxAt(read, 0, "ftyp");
  const moov = await readBoxAt(read, ftyp.end, "moov");
  const trak = requireBox(moov.content, "trak");
  const track = readTrack(trak, timescaleOf(requireBox(moov.content, "mvhd")));
  requireSideBySide(track, Bun.file(path).size);
  const startTicks = Math.round(-track.originSeconds * track.ticksPerSecond);
  return { ...track, path, ftyp: ftyp.content, moov: moov.content, trak, startTicks };
}

/** The ticks per second of the durations of the movie and of its tracks. */
export const movieTimescale = ({ moov }: TrackFile): number =>
  requireBox(moov, "mvhd").readUInt32BE(headerFields.mvhd.timescale);

/** Returns bytes of a file, fewer at its end. */
type Read = (position: number, length: number) => Promise<Buffer>;

/** The index of a segment fits into these bytes, so that one read is enough. */
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

async function readBoxAt(read: Read, position: number, type: string): Promise<Box & { readonly end: number }> {
  const header = await read(position, boxHeaderBytes);
  const isRight = header.length === boxHeaderBytes && header.toString("latin1", 4) === type;
  if (!isRight) throw new Error(`An MP4 file has no box ${type} at its beginning.`);
  const end = position + header.readUInt32BE(0);
  return { type, content: await read(position + boxHeaderBytes, end - position - boxHeaderBytes), end };
}

/** Throws unless the file holds the samples, and they are contiguous. */
function requireSideBySide({ samples }: Track, fileBytes: number): void {
  const ends = samples.map(({ offset, length }) => offset + length);
  if (!samples.every(({ offset }, index) => index === 0 || offset === ends[index - 1])) {
    throw new Error("The samples of an MP4 file are not contiguous.");
  }
  if ((ends.at(-1) ?? 0) > fileBytes) throw new Error("An MP4 file is incomplete.");
}
