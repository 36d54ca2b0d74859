import { requireAtMost, requireReadable } from "./refusal.ts";

/** A box of an ISO base media file: AVIF has the same as MP4. */
export type Box = { readonly type: string; readonly content: Buffer };

// a real file has ten in a row, and one for each item and property of a grid
const maxBoxes = 10_000;

/** The boxes in a row, up to one that is incomplete. Throws unsupported_media_type if there are too many. */
export function* boxesIn(bytes: Buffer): Generator<Box> {
  let count = 0;
  for (let at = 0; at + 8 <= bytes.length; ) {
    requireAtMost(++count, maxBoxes, "parts");
    const { head, length } = extentOf(bytes, at);
    if (length < head || at + length > bytes.length) return;
    yield { type: bytes.toString("latin1", at + 4, at + 8), content: bytes.subarray(at + head, at + length) };
    at += length;
  }
}

/** The only box of a type. Throws unsupported_media_type for several, of which a decoder may read another one. */
export function boxOf(bytes: Buffer, type: string): Buffer | undefined {
  let found: Buffer | undefined;
  for (const box of boxesIn(bytes)) {
    if (box.type !== type) continue;
    requireReadable(!found);
    found = box.content;
  }
  return found;
}

/** A length of 1 stands for one of 64 bits behind the type, and 0 for the rest of the file. */
function extentOf(bytes: Buffer, at: number) {
  const length = bytes.readUInt32BE(at);
  if (length === 0) return { head: 8, length: bytes.length - at };
  if (length !== 1) return { head: 8, length };
  requireReadable(at + 16 <= bytes.length);
  return { head: 16, length: Number(bytes.readBigUInt64BE(at + 8)) };
}

/** A full box begins with a version (1 byte) and flags (3 bytes). */
export const versionOf = (content: Buffer): number => content[0] ?? 0;

/** Reads big-endian numbers one after another. Throws unsupported_media_type at the end of the bytes. */
export function numbersIn(bytes: Buffer) {
  let at = 0;
  const take = (count: number): number => {
    requireReadable(at + count <= bytes.length);
    let value = 0;
    for (const end = at + count; at < end; at++) value = value * 256 + bytes[at]!;
    return value;
  };
  return { take, rest: () => bytes.subarray(at) };
}
