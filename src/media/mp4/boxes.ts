/** A box of an ISO base media file (MP4). */
export type Box = { readonly type: string; readonly content: Buffer };

export const boxHeaderBytes = 8;

/** The boxes that fill these bytes, in order. Throws if they do not. */
export function readBoxes(bytes: Buffer): readonly Box[] {
  const boxes: Box[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = start + bytes.readUInt32BE(start);
    const contentStart = start + boxHeaderBytes;
    if (end < contentStart || end > bytes.length) throw new Error("A box of an MP4 file does not end within it.");
    boxes.push({ type: bytes.toString("latin1", start + 4, contentStart), content: bytes.subarray(contentStart, end) });
    start = end;
  }
  return boxes;
}

export const findBox = (bytes: Buffer, type: string): Buffer | undefined =>
  readBoxes(bytes).find((box) => box.type === type)?.content;

/** The content of the box at this path of types. Throws if there is none. */
export function requireBox(bytes: Buffer, ...path: readonly string[]): Buffer {
  return path.reduce((content, type) => {
    const inner = findBox(content, type);
    if (!inner) throw new Error(`An MP4 file has no box ${type}.`);
    return inner;
  }, bytes);
}

export function printBox(type: string, ...contents: readonly Uint8Array[]): Buffer {
  const header = Buffer.alloc(boxHeaderBytes);
  header.writeUInt32BE(contents.reduce((sum, { length }) => sum + length, boxHeaderBytes));
  header.write(type, 4, "latin1");
  return Buffer.concat([header, ...contents]);
}

/** Prints a container's content with another content in the box at this path of types. */
export const replaceBox = (bytes: Buffer, [type, ...rest]: readonly string[], content: Buffer): Buffer =>
  Buffer.concat(
    readBoxes(bytes).map((box) => {
      if (box.type !== type) return printBox(box.type, box.content);
      return printBox(type, rest.length > 0 ? replaceBox(box.content, rest, content) : content);
    }),
  );

/** The 32-bit numbers of a box, after its version and flags. */
export const readNumbers = (content: Buffer): readonly number[] =>
  Array.from({ length: (content.length - 4) >> 2 }, (_, index) => content.readUInt32BE(4 + 4 * index));

/** The content of a box of 32-bit numbers, of version 0 and without flags. */
export function printNumbers(numbers: readonly number[]): Buffer {
  const content = Buffer.alloc(4 + 4 * numbers.length);
  for (const [index, number] of numbers.entries()) content.writeUInt32BE(number, 4 + 4 * index);
  return content;
}

/** A copy of a box's content with some of its 32-bit numbers, by their byte offsets. */
export function withNumbers(content: Buffer, numbers: Readonly<Record<number, number>>): Buffer {
  const copy = Buffer.from(content);
  for (const [offset, number] of Object.entries(numbers)) copy.writeUInt32BE(number, Number(offset));
  return copy;
}

export const stblPath = ["mdia", "minf", "stbl"];

/** The byte offsets of fields of header boxes of version 0. */
export const headerFields = {
  mvhd: { timescale: 12, duration: 16, nextTrackId: 96 },
  tkhd: { trackId: 12, duration: 20 },
  mdhd: { timescale: 12, duration: 16 },
  elst: { duration: 8, startTime: 12 },
} as const;
