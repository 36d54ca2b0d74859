import { sum } from "../../platform/values.ts";
import { headerFields, requireBox, stblPath } from "./boxes.ts";
import { bytesOf, type Chunk, type OutputTrack } from "./chunks.ts";
import { changeBoxes, printBox, printNumbers, printWithout, withNumbers } from "./print-boxes.ts";
import type { TrackFile } from "./track-file.ts";

/** The parts of a film before its chunks, in the order of the file. */
type Header = { readonly ftyp: Buffer; readonly moov: Buffer; readonly mdat: Buffer };

/**
 * The part of a film before its chunks: the index, and the header of the box that holds them. `reservedBytes` is the
 * length of a box after the first one, for which the positions leave room.
 */
export function printHeader(
  segment: TrackFile,
  tracks: readonly OutputTrack[],
  chunks: readonly Chunk[],
  reservedBytes: number,
): Header {
  const bytes = sum(chunks.map(bytesOf));
  const isLarge = bytes > maxSmallBytes;
  const print = (start: number): Header => {
    const moov = printMoov(segment, tracks, placeChunks(chunks, start), isLarge);
    return {
      ftyp: printBox("ftyp", segment.ftyp),
      moov: printBox("moov", moov),
      mdat: printMdatHeader(bytes, isLarge),
    };
  };
  // the length does not depend on the positions
  const { ftyp, moov, mdat } = print(0);
  return print(ftyp.length + reservedBytes + moov.length + mdat.length);
}

/** Positions beyond 32 bits need other boxes; an index is smaller than the difference. */
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

function printMoov(
  { moov }: TrackFile,
  tracks: readonly OutputTrack[],
  positions: Positions,
  isLarge: boolean,
): Buffer {
  const traks = tracks.map(({ trak, chunks }, index) =>
    printTrak(trak, index + 1, printPositions(chunks, positions, isLarge)),
  );
  const duration = Math.max(...traks.map((trak) => requireBox(trak, "tkhd").readUInt32BE(headerFields.tkhd.duration)));
  const mvhd = requireBox(moov, "mvhd");
  const { duration: durationField, nextTrackId } = headerFields.mvhd;
  return Buffer.concat([
    printBox("mvhd", withNumbers(mvhd, { [durationField]: duration, [nextTrackId]: tracks.length + 1 })),
    ...traks.map((trak) => printBox("trak", trak)),
    printWithout(moov, new Set(["mvhd", "trak"])),
  ]);
}

/** `positions` replaces the boxes with the positions of samples. */
function printTrak(trak: Buffer, id: number, positions: Buffer): Buffer {
  const withId = changeBoxes(trak, ["tkhd"], (box) => withNumbers(box, { [headerFields.tkhd.trackId]: id }));
  return changeBoxes(withId, stblPath, (table) =>
    Buffer.concat([printWithout(table, new Set(["stsc", "stco"])), positions]),
  );
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
