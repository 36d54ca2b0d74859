import { box } from "./avif.ts";
import { join, u32 } from "./bytes.ts";

/** An edit in seconds of a movie whose ticks are milliseconds; it begins at the start of the media, or is empty. */
type Edit = { readonly milliseconds: number; readonly isEmpty?: boolean };

/** Replaces the edits of the first track of a file that ends with its index, as ffmpeg writes it. */
export const withEdits = (mp4: Uint8Array, edits: readonly Edit[]): Buffer => {
  const entries = edits.map(({ milliseconds, isEmpty }) => u32(milliseconds, isEmpty ? 2 ** 32 - 1 : 0, 0x10000));
  return replaceBox(Buffer.from(mp4), ["moov", "trak", "edts", "elst"], (type) =>
    box(type, u32(0, edits.length), ...entries),
  );
};

/** Adds boxes to the end of the sample table of the first track. */
export const withTables = (mp4: Uint8Array, ...tables: readonly Uint8Array[]): Buffer =>
  replaceBox(Buffer.from(mp4), ["moov", "trak", "mdia", "minf", "stbl"], (type, content) =>
    box(type, content, ...tables),
  );

/** Adds boxes to the end of a file. */
export const withBoxes = (mp4: Uint8Array, ...boxes: readonly Uint8Array[]): Buffer => join(mp4, ...boxes);

/** Replaces the first box at a path. */
function replaceBox(
  bytes: Buffer,
  [type = "", ...path]: readonly string[],
  replace: (type: string, content: Buffer) => Buffer,
): Buffer {
  for (let at = 0; at < bytes.length; at += bytes.readUInt32BE(at)) {
    if (bytes.toString("latin1", at + 4, at + 8) !== type) continue;
    const end = at + bytes.readUInt32BE(at);
    const content = bytes.subarray(at + 8, end);
    const replaced = path.length === 0 ? replace(type, content) : box(type, replaceBox(content, path, replace));
    return join(bytes.subarray(0, at), replaced, bytes.subarray(end));
  }
  throw new Error(`There is no box ${type}.`);
}
