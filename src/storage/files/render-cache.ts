import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { link, mkdir, readdir, rename, rm, stat, utimes } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { RenderCache } from "../../domain/exports/renderer.ts";
import { concurrencyLimit } from "../../platform/concurrency-limit.ts";

type CacheEntry = { readonly path: string; readonly sizeBytes: number; readonly usedAt: number };

/** Eviction frees space down to this share of the limit, so that not every insert has to evict. */
const evictToShare = 0.9;

/** An entry counts at least this many bytes: file systems allocate whole blocks. */
const blockBytes = 4096;

/**
 * An LRU cache of files named `<hash of the key>-<sha256 of the bytes>`, in a folder for each project: the second hash
 * verifies an entry when it is linked.
 * Processes can share the folder, because a file's mtime records its last use.
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

    async put(key, path) {
      const { size } = await stat(path);
      // a part that does not fit is rendered again when it is needed
      if (size <= maxBytes) await insert(size, () => addEntry(shardOf(folder, key), basename(key), path));
    },

    listProjects: () => readdir(folder).catch(() => []),

    removeProject: (projectId) => rm(join(folder, projectId), { recursive: true, force: true }),
  };
}

/** Hashes and links the file, then renames the link to its final name. False if the entry could not be added. */
async function addEntry(shard: string, name: string, path: string): Promise<boolean> {
  const unfinished = join(shard, `${name}-new-${crypto.randomUUID()}`);
  const sha256 = await sha256OfFile(path);
  try {
    await mkdir(shard, { recursive: true, mode: 0o700 });
    await link(path, unfinished);
    await rename(unfinished, join(shard, `${name}-${sha256}`));
    return true;
  } catch {
    await remove(unfinished);
    return false;
  }
}

/** Recursive, because something else, even a folder, may have replaced a damaged entry. */
const remove = (path: string) => rm(path, { recursive: true, force: true }).catch(() => {});

const shardOf = (folder: string, key: string) => join(folder, dirname(key), basename(key).slice(0, 2));

async function findEntry(folder: string, key: string): Promise<string | undefined> {
  const shard = shardOf(folder, key);
  const hash = basename(key);
  const names = await readdir(shard).catch(() => []);
  const name = names.find((candidate) => candidate.startsWith(`${hash}-`) && !candidate.startsWith(`${hash}-new-`));
  return name && join(shard, name);
}

/** False if the entry no longer exists or cannot be linked. */
const tryLink = (from: string, to: string): Promise<boolean> =>
  link(from, to).then(
    () => true,
    () => false,
  );

async function sha256OfFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) hash.update(chunk);
  return hash.digest("hex");
}

/** Serialises inserts and evicts least-recently-used entries before each. */
function lruWriter(folder: string, maxBytes: number) {
  const singleWriter = concurrencyLimit({ concurrency: 1 });
  // infinite until the first insert has scanned the folder
  let cachedBytes = Number.POSITIVE_INFINITY;

  const evictFor = async (wantedBytes: number) => {
    const entries = await listEntries(folder);
    cachedBytes = entries.reduce((sum, entry) => sum + entry.sizeBytes, 0);
    if (cachedBytes + wantedBytes <= maxBytes) return;
    for (const { path, sizeBytes } of entries.toSorted((a, b) => a.usedAt - b.usedAt)) {
      if (cachedBytes + wantedBytes <= maxBytes * evictToShare) return;
      await remove(path);
      cachedBytes -= sizeBytes;
    }
  };

  return (sizeBytes: number, add: () => Promise<boolean>): Promise<void> =>
    singleWriter(async () => {
      const wantedBytes = Math.max(sizeBytes, blockBytes);
      if (cachedBytes + wantedBytes > maxBytes) await evictFor(wantedBytes);
      if (await add()) cachedBytes += wantedBytes;
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
    ({ size, mtimeMs }) => ({ path, sizeBytes: Math.max(size, blockBytes), usedAt: mtimeMs }),
    () => undefined,
  );
