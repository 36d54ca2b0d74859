import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { link, mkdir, readdir, rename, rm, stat, utimes } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { RenderCache } from "../../domain/exports/renderer.ts";
import { sharedSize } from "./shared-size.ts";

type CacheEntry = { readonly path: string; readonly sizeBytes: number; readonly usedAt: number };

/** Eviction frees space down to this share of the limit, so that not every insert has to evict. */
const evictToShare = 0.9;

/** An entry counts at least this many bytes: file systems allocate whole blocks. */
const blockBytes = 4096;

const sizeOnDisk = (bytes: number): number => Math.max(bytes, blockBytes);

/**
 * An LRU cache of files named `<hash of the key>-<sha256 of the bytes>`, in a folder for each project: the second hash
 * verifies an entry when it is linked. Processes can share the folder: they count its bytes together, and a file's mtime
 * records its last use.
 */
export function diskRenderCache(dataDir: string, maxBytes: number): RenderCache {
  const folder = resolve(dataDir, "cache");
  const insert = lruWriter(folder, maxBytes);

  return {
    async sizeOf(key) {
      const entry = await findEntry(folder, key);
      return entry ? (await stat(entry).catch(() => undefined))?.size : undefined;
    },

    async linkTo(key, path) {
      const entry = await findEntry(folder, key);
      if (!entry) return false;
      if ((await tryLink(entry, path)) && entry.endsWith(await sha256OfFile(path).catch(() => "unreadable"))) {
        const now = new Date();
        await utimes(entry, now, now).catch(() => {});
        return true;
      }
      for (const damaged of [entry, path]) await remove(damaged);
      return false;
    },

    async put(parts) {
      const entries: Entry[] = [];
      let sizeBytes = 0;
      for (const { key, path } of parts) {
        const size = sizeOnDisk((await stat(path)).size);
        // a part that does not fit is rendered again when it is needed
        if (sizeBytes + size > maxBytes) continue;
        sizeBytes += size;
        entries.push({ shard: shardOf(folder, key), name: `${basename(key)}-${await sha256OfFile(path)}`, path });
      }
      if (entries.length === 0) return;
      await insert(sizeBytes, async () => {
        for (const entry of entries) await addEntry(entry);
      });
    },

    listProjects: () => readdir(folder).catch(() => []),

    removeProject: (projectId) => rm(join(folder, projectId), { recursive: true, force: true }),
  };
}

/** A file to add to a folder under a name. */
type Entry = { readonly shard: string; readonly name: string; readonly path: string };

/** Links the file under a temporary name, then renames the link, which replaces an equal entry. Never throws. */
async function addEntry({ shard, name, path }: Entry): Promise<void> {
  const unfinished = join(shard, `${unfinishedPrefix}${crypto.randomUUID()}`);
  try {
    await mkdir(shard, { recursive: true, mode: 0o700 });
    await link(path, unfinished);
    await rename(unfinished, join(shard, name));
  } catch {
    await remove(unfinished);
  }
}

/** No hash begins with it. */
const unfinishedPrefix = "new-";

/** Recursive, because something else, even a folder, may have replaced a damaged entry. */
const remove = (path: string) => rm(path, { recursive: true, force: true }).catch(() => {});

const shardOf = (folder: string, key: string) => join(folder, dirname(key), basename(key).slice(0, 2));

async function findEntry(folder: string, key: string): Promise<string | undefined> {
  const shard = shardOf(folder, key);
  const hash = basename(key);
  const names = await readdir(shard).catch(() => []);
  const name = names.find((candidate) => candidate.startsWith(`${hash}-`));
  return name && join(shard, name);
}

/** False if the entry no longer exists or cannot be linked. */
const tryLink = (from: string, to: string): Promise<boolean> =>
  link(from, to).then(
    () => true,
    () => false,
  );

/** A stream costs more than to hash most segments. */
const streamFromBytes = 2 ** 20;

async function sha256OfFile(path: string): Promise<string> {
  const file = Bun.file(path);
  if (file.size < streamFromBytes)
    return createHash("sha256")
      .update(await file.bytes())
      .digest("hex");
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) hash.update(chunk);
  return hash.digest("hex");
}

/** Serialises the inserts of all processes and evicts least-recently-used entries before each. */
function lruWriter(folder: string, maxBytes: number) {
  const changeSize = sharedSize(folder);

  const evictFor = async (wantedBytes: number): Promise<number> => {
    const entries = await listEntries(folder);
    let cachedBytes = entries.reduce((sum, entry) => sum + entry.sizeBytes, 0);
    if (cachedBytes + wantedBytes <= maxBytes) return cachedBytes;
    for (const { path, sizeBytes } of entries.toSorted((a, b) => a.usedAt - b.usedAt)) {
      if (cachedBytes + wantedBytes <= maxBytes * evictToShare) break;
      await remove(path);
      cachedBytes -= sizeBytes;
    }
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

/** Undefined if another process has removed the file in the meantime. */
const entryAt = (path: string): Promise<CacheEntry | undefined> =>
  stat(path).then(
    ({ size, mtimeMs }) => ({ path, sizeBytes: sizeOnDisk(size), usedAt: mtimeMs }),
    () => undefined,
  );
