import { link, mkdir, readdir, rename, rm, rmdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { sum } from "../../platform/values.ts";
import { sharedSize } from "./shared-size.ts";

type CacheEntry = { readonly path: string; readonly sizeBytes: number; readonly usedAt: number };

/** Eviction frees space down to this share of the limit, so that not every insert has to evict. */
const evictToShare = 0.9;

/** An entry counts at least this many bytes: file systems allocate whole blocks. */
const blockBytes = 4096;

export const sizeOnDisk = (bytes: number): number => Math.max(bytes, blockBytes);

/** Serialises the inserts of all processes and evicts least-recently-used entries before each. */
export function lruWriter(folder: string, maxBytes: number) {
  const changeSize = sharedSize(folder);

  const evictFor = async (wantedBytes: number): Promise<number> => {
    const entries = await listEntries(folder);
    let cachedBytes = sum(entries.map((entry) => entry.sizeBytes));
    if (cachedBytes + wantedBytes <= maxBytes) return cachedBytes;
    for (const { path, sizeBytes } of entries.toSorted((a, b) => a.usedAt - b.usedAt)) {
      if (cachedBytes + wantedBytes <= maxBytes * evictToShare) break;
      await removeEntry(path);
      cachedBytes -= sizeBytes;
    }
    await removeEmptyFolders(folder);
    return cachedBytes;
  };

  return (wantedBytes: number, add: () => Promise<void>): Promise<void> =>
    changeSize(async (counted, save) => {
      const cachedBytes = counted + wantedBytes > maxBytes ? await evictFor(wantedBytes) : counted;
      // before the entries, so that a crash in between makes the count too high, which the next scan corrects
      if (await save(cachedBytes + wantedBytes)) await add();
    });
}

async function listEntries(folder: string): Promise<readonly CacheEntry[]> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const entries = files.filter((file) => file.isFile()).map((file) => entryAt(join(file.parentPath, file.name)));
  return (await Promise.all(entries)).filter((entry) => entry !== undefined);
}

/** Removes folders of shards and projects. No entry is added meanwhile. */
async function removeEmptyFolders(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const folders = entries.filter((entry) => entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
  // inner folders first; fails for non-empty ones
  for (const path of folders.toSorted((a, b) => b.length - a.length)) await rmdir(path).catch(() => {});
}

/** Undefined if another process removed the file in the meantime. */
const entryAt = (path: string): Promise<CacheEntry | undefined> =>
  stat(path).then(
    ({ size, mtimeMs }) => ({ path, sizeBytes: sizeOnDisk(size), usedAt: mtimeMs }),
    () => undefined,
  );

/** A file to add to a folder under a name. */
export type Entry = { readonly shard: string; readonly name: string; readonly path: string };

/** Adds the file as a link, which is complete at once. Replaces an equal entry. Never throws. */
export async function addEntry({ shard, name, path }: Entry): Promise<void> {
  const entry = join(shard, name);
  if (await tryLink(path, entry)) return;
  const hasFolder = await mkdir(shard, { recursive: true, mode: 0o700 }).then(
    () => true,
    () => false,
  );
  if (hasFolder && !(await tryLink(path, entry))) await replaceEntry({ shard, name, path });
}

/** Links the file under a temporary name, then renames the link: an existing entry may be damaged. */
async function replaceEntry({ shard, name, path }: Entry): Promise<void> {
  const unfinished = join(shard, `${unfinishedPrefix}${crypto.randomUUID()}`);
  try {
    await link(path, unfinished);
    await rename(unfinished, join(shard, name));
  } catch {
    // the entry is made again when needed
  }
  // also after a rename: it does nothing if the entry is the same file
  await removeEntry(unfinished);
}

/** A prefix that no hash has. */
const unfinishedPrefix = "new-";

/** Recursive, because something else, even a folder, may have replaced a damaged entry. */
export const removeEntry = (path: string) => rm(path, { recursive: true, force: true }).catch(() => {});

/** False if the entry no longer exists or cannot be linked. */
export const tryLink = (from: string, to: string): Promise<boolean> =>
  link(from, to).then(
    () => true,
    () => false,
  );
