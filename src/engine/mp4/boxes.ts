/** A box of an ISO base media file: MP4, QuickTime and AVIF share this format. */
export type Box = { readonly type: string; readonly content: Buffer };

export const boxHeaderBytes = 8;

/** Thrown for an MP4 or AVIF file with invalid boxes. */
export class BoxError extends Error {
  override readonly name: string = "BoxError";
}

/** Real files have ten boxes in a sequence, or one for each item and property of a grid. */
export const maxBoxes = 10_000;

export class TooManyBoxesError extends BoxError {
  override readonly name = "TooManyBoxesError";
}

/** The boxes of a sequence, up to an incomplete one. Throws BoxError if there are too many. */
export function* boxesIn(bytes: Buffer): Generator<Box> {
  let count = 0;
  for (let at = 0; at + boxHeaderBytes <= bytes.length; ) {
    if (++count > maxBoxes) throw new TooManyBoxesError("The file has too many boxes.");
    const { head, length } = extentOf(bytes, at);
    if (length < head || at + length > bytes.length) return;
    yield { type: bytes.toString("latin1", at + 4, at + 8), content: bytes.subarray(at + head, at + length) };
    at += length;
  }
}

/** The only box of a type. Throws BoxError for several, because decoders may choose differently. */
export function boxOf(bytes: Buffer, type: string): Buffer | undefined {
  let found: Buffer | undefined;
  for (const box of boxesIn(bytes)) {
    if (box.type !== type) continue;
    if (found) throw new BoxError(`The file has several boxes ${type}.`);
    found = box.content;
  }
  return found;
}

/** The content of the only box at this path of types. Throws BoxError if there is none. */
export const requireBox = (bytes: Buffer, ...path: readonly string[]): Buffer =>
  path.reduce((content, type) => {
    const inner = boxOf(content, type);
    if (!inner) throw new BoxError(`The file has no box ${type}.`);
    return inner;
  }, bytes);

/** A length of 1 stands for a 64-bit length behind the type, and 0 for the rest of the file. */
function extentOf(bytes: Buffer, at: number) {
  const length = bytes.readUInt32BE(at);
  if (length === 0) return { head: boxHeaderBytes, length: bytes.length - at };
  if (length !== 1) return { head: boxHeaderBytes, length };
  if (at + 16 > bytes.length) throw new BoxError("The file ends within a box.");
  return { head: 16, length: Number(bytes.readBigUInt64BE(at + 8)) };
}

/** A full box begins with a version (1 byte) and flags (3 bytes). */
export const versionOf = (content: Buffer): number => content[0] ?? 0;

/** Reads big-endian numbers one after another. Throws BoxError at the end of the bytes. */
export function numbersIn(bytes: Buffer) {
  let at = 0;
  const take = (count: number): number => {
    if (at + count > bytes.length) throw new BoxError("The file ends within a number.");
    let value = 0;
    for (const end = at + count; at < end; at++) value = value * 256 + bytes[at]!;
    return value;
  };
  return { take, rest: () => bytes.subarray(at) };
}

export const stblPath = ["mdia", "minf", "stbl"];

/** The byte offsets of fields of header boxes of version 0. */
export const headerFields = {
  mvhd: { timescale: 12, duration: 16, nextTrackId: 96 },
  tkhd: { trackId: 12, duration: 20 },
  mdhd: { timescale: 12, duration: 16 },
  elst: { duration: 8, startTime: 12 },
} as const;
