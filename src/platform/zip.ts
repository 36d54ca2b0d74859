import { inflateRawSync } from "node:zlib";

const endOfDirectory = 0x06054b50;
const directoryEntry = 0x02014b50;
const maxEntries = 1000;
const maxTotalBytes = 20 * 2 ** 20;

type Entry = { readonly name: string; readonly offset: number; readonly size: number; readonly isDeflated: boolean };

/** The errors of a zip that is damaged or exceeds `limit`. */
export type ZipRefusals = { damaged(): Error; tooLarge(limit: string): Error };

/** A zip whose files are read one by one. */
export type Zip = { readonly names: readonly string[]; read(name: string): Buffer };

/** Opens a zip in memory. Throws what `refusals` makes, here and in `read`. */
export function openZip(bytes: Buffer, refusals: ZipRefusals): Zip {
  const entries = new Map(entriesOf(bytes, refusals).map((entry) => [entry.name, entry]));
  let total = 0;
  return {
    names: [...entries.keys()],
    read(name) {
      const entry = entries.get(name);
      if (!entry) throw refusals.damaged();
      const content = contentOf(bytes, entry, maxTotalBytes - total, refusals);
      total += content.length;
      return content;
    },
  };
}

function entriesOf(bytes: Buffer, refusals: ZipRefusals): readonly Entry[] {
  const end = findEnd(bytes, refusals);
  const count = bytes.readUInt16LE(end + 10);
  if (count > maxEntries) throw refusals.tooLarge(`${maxEntries} files in it`);
  const entries: Entry[] = [];
  let at = bytes.readUInt32LE(end + 16);
  for (let index = 0; index < count; index++) {
    if (at + 46 > bytes.length || bytes.readUInt32LE(at) !== directoryEntry) throw refusals.damaged();
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
function findEnd(bytes: Buffer, refusals: ZipRefusals): number {
  for (let at = bytes.length - 22; at >= Math.max(0, bytes.length - 22 - 65_535); at--) {
    if (bytes.readUInt32LE(at) === endOfDirectory) return at;
  }
  throw refusals.damaged();
}

function contentOf(
  bytes: Buffer,
  { offset, size, isDeflated }: Entry,
  maxBytes: number,
  refusals: ZipRefusals,
): Buffer {
  if (offset + 30 > bytes.length) throw refusals.damaged();
  const start = offset + 30 + bytes.readUInt16LE(offset + 26) + bytes.readUInt16LE(offset + 28);
  const content = bytes.subarray(start, start + size);
  if (!isDeflated) return content;
  try {
    return inflateRawSync(content, { maxOutputLength: Math.max(1, maxBytes) });
  } catch {
    throw refusals.tooLarge("20 MB of files in it");
  }
}
