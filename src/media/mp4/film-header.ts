import {
  headerFields,
  printBox,
  printNumbers,
  readBoxes,
  replaceBox,
  requireBox,
  stblPath,
  withNumbers,
} from "./boxes.ts";
import { bytesOf, type Chunk, type FilmTrack } from "./chunks.ts";
import type { TrackFile } from "./track-file.ts";

/** All of a film that precedes its chunks: the index, and the header of the box that has them. */
export function printFilmHeader(segment: TrackFile, tracks: readonly FilmTrack[], chunks: readonly Chunk[]): Buffer {
  const bytes = chunks.reduce((sum, chunk) => sum + bytesOf(chunk), 0);
  const isLarge = bytes > maxSmallBytes;
  const print = (start: number) => {
    const moov = printMoov(segment, tracks, placeChunks(chunks, start), isLarge);
    return Buffer.concat([printBox("ftyp", segment.ftyp), printBox("moov", moov), printMdatHeader(bytes, isLarge)]);
  };
  // the length does not depend on the positions
  return print(print(0).length);
}

/** Positions beyond 32 bits need other boxes; an index has less than the difference. */
const maxSmallBytes = 2 ** 32 - 2 ** 28;

type Positions = ReadonlyMap<Chunk, number>;

function placeChunks(chunks: readonly Chunk[], start: number): Positions {
  let end = start;
  const place = (chunk: Chunk): readonly [Chunk, number] => {
    end += bytesOf(chunk);
    return [chunk, end - bytesOf(chunk)];
  };
  return new Map(chunks.map(place));
}

function printMoov({ moov }: TrackFile, tracks: readonly FilmTrack[], positions: Positions, isLarge: boolean): Buffer {
  const traks = tracks.map(({ trak, chunks }, index) =>
    printTrak(trak, index + 1, printPositions(chunks, positions, isLarge)),
  );
  const duration = Math.max(...traks.map((trak) => requireBox(trak, "tkhd").readUInt32BE(headerFields.tkhd.duration)));
  const mvhd = requireBox(moov, "mvhd");
  const { duration: durationField, nextTrackId } = headerFields.mvhd;
  const others = readBoxes(moov).filter(({ type }) => type !== "mvhd" && type !== "trak");
  return Buffer.concat([
    printBox("mvhd", withNumbers(mvhd, { [durationField]: duration, [nextTrackId]: tracks.length + 1 })),
    ...traks.map((trak) => printBox("trak", trak)),
    ...others.map(({ type, content }) => printBox(type, content)),
  ]);
}

/** `positions` replaces the boxes that say where samples lie. */
function printTrak(trak: Buffer, id: number, positions: Buffer): Buffer {
  const others = readBoxes(requireBox(trak, ...stblPath)).filter(({ type }) => type !== "stsc" && type !== "stco");
  const stbl = Buffer.concat([...others.map(({ type, content }) => printBox(type, content)), positions]);
  const tkhd = withNumbers(requireBox(trak, "tkhd"), { [headerFields.tkhd.trackId]: id });
  return replaceBox(replaceBox(trak, ["tkhd"], tkhd), stblPath, stbl);
}

function printPositions(chunks: readonly Chunk[], positions: Positions, isLarge: boolean): Buffer {
  // runs of chunks with the same number of samples, all with the first description
  const runs = chunks.flatMap(({ samples }, index) =>
    samples === chunks[index - 1]?.samples ? [] : [index + 1, samples, 1],
  );
  const numbers = chunks.flatMap((chunk) => {
    // safe because every chunk was placed
    const position = positions.get(chunk)!;
    return isLarge ? [Math.floor(position / 2 ** 32), position % 2 ** 32] : [position];
  });
  return Buffer.concat([
    printBox("stsc", printNumbers([runs.length / 3, ...runs])),
    printBox(isLarge ? "co64" : "stco", printNumbers([chunks.length, ...numbers])),
  ]);
}

/** A size of 1 stands for the 64-bit one after the type. */
function printMdatHeader(bytes: number, isLarge: boolean): Buffer {
  const header = Buffer.alloc(isLarge ? 16 : 8);
  header.writeUInt32BE(isLarge ? 1 : header.length + bytes);
  header.write("mdat", 4, "latin1");
  if (isLarge) header.writeBigUInt64BE(BigInt(header.length + bytes), 8);
  return header;
}
