import { inflateRawSync } from "node:zlib";
import { notLottie, tooLarge } from "./refusals.ts";

const endOfDirectory = 0x06054b50;
const directoryEntry = 0x02014b50;
const maxEntries = 1000;
const maxTotalBytes = 20 * 2 ** 20;

type Entry = { readonly name: string; readonly offset: number; readonly size: number; readonly isDeflated: boolean };

/** Reads files of a `.lottie` archive, which is a zip. Throws unsupported_media_type. */
export function openArchive(bytes: Buffer): { readonly names: readonly string[]; read(name: string): Buffer } {
  const entries = new Map(entriesOf(bytes).map((entry) => [entry.name, entry]));
  let total = 0;
  return {
    names: [...entries.keys()],
    read(name) {
      const entry = entries.get(name);
      if (!entry) throw notLottie();
      const content = contentOf(bytes, entry, maxTotalBytes - total);
      total += content.length;
      return content;
    },
  };
}

function entriesOf(bytes: Buffer): readonly Entry[] {
  const end = findEnd(bytes);
  const count = bytes.readUInt16LE(end + 10);
  if (count > maxEntries) throw tooLarge(`${maxEntries} files in it`);
  const entries: Entry[] = [];
  let at = bytes.readUInt32LE(end + 16);
  for (let index = 0; index < count; index++) {
    if (at + 46 > bytes.length || bytes.readUInt32LE(at) !== directoryEntry) throw notLottie();
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((field) => bytes.readUInt16LE(at + field));
    entries.push({
      name: bytes.toString("utf8", at + 46, at + 46 + nameLength!),
      offset: bytes.readUInt32LE(at + 42),
      size: bytes.readUInt32LE(at + 20),
      isDeflated: bytes.readUInt16LE(at + 10) === 8,
    });
    at += 46 + nameLength! + extraLength! + commentLength!;
  }
  return entries;
}

/** A comment of at most 64 KB may follow. */
function findEnd(bytes: Buffer): number {
  for (let at = bytes.length - 22; at >= Math.max(0, bytes.length - 22 - 65_535); at--) {
    if (bytes.readUInt32LE(at) === endOfDirectory) return at;
  }
  throw notLottie();
}

function contentOf(bytes: Buffer, { offset, size, isDeflated }: Entry, maxBytes: number): Buffer {
  if (offset + 30 > bytes.length) throw notLottie();
  const start = offset + 30 + bytes.readUInt16LE(offset + 26) + bytes.readUInt16LE(offset + 28);
  const content = bytes.subarray(start, start + size);
  if (!isDeflated) return content;
  try {
    return inflateRawSync(content, { maxOutputLength: Math.max(1, maxBytes) });
  } catch {
    throw tooLarge("20 MB of files in it");
  }
}
