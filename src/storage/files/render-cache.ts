import { readdir, rm, stat, utimes } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { RenderCache } from "../../engine/ports.ts";
import { sha256OfFile } from "./hash.ts";
import { addEntry, type Entry, lruWriter, removeEntry, sizeOnDisk, tryLink } from "./lru-folder.ts";
import { countedBytes } from "./shared-size.ts";

/**
 * An LRU cache of files named `<hash of the key>-<sha256 of the bytes>`, in a folder for each project: the second hash
 * verifies an entry when it is linked. Processes can share the folder: they count its bytes together, and a file's
 * mtime records its last use.
 */
export function diskRenderCache(dataDir: string, maxBytes: number): RenderCache {
  const folder = resolve(dataDir, "cache");
  const insert = lruWriter(folder, maxBytes);

  return {
    async sizeOf(key) {
      const entry = await findEntry(folder, key);
      return entry ? (await stat(entry).catch(() => undefined))?.size : undefined;
    },

    // looking up an entry costs as much as linking it
    find: async (keys) => new Set(keys),

    async linkTo(key, path) {
      const entry = await findEntry(folder, key);
      if (!entry) return false;
      if ((await tryLink(entry, path)) && entry.endsWith(await sha256OfFile(path).catch(() => "unreadable"))) {
        const now = new Date();
        await utimes(entry, now, now).catch(() => {});
        return true;
      }
      for (const damaged of [entry, path]) await removeEntry(damaged);
      return false;
    },

    async put(parts) {
      const entries: Entry[] = [];
      let sizeBytes = 0;
      for (const { key, path } of parts) {
        const size = sizeOnDisk((await stat(path)).size);
        // a part that does not fit is rendered again when needed
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

/** The folders of the caches, each with its own limit. */
export const cacheFolders = { segments: "", frames: "frames", proxies: "proxies" } as const;

/** The last counted bytes of each cache on this disk; 0 for an unused cache. */
export async function cacheBytesIn(dataDir: string): Promise<Readonly<Record<string, number>>> {
  const entries = Object.entries(cacheFolders).map(
    async ([name, folder]) => [name, (await countedBytes(resolve(dataDir, folder, "cache"))) ?? 0] as const,
  );
  return Object.fromEntries(await Promise.all(entries));
}

const shardOf = (folder: string, key: string) => join(folder, dirname(key), basename(key).slice(0, 2));

async function findEntry(folder: string, key: string): Promise<string | undefined> {
  const shard = shardOf(folder, key);
  const hash = basename(key);
  const names = await readdir(shard).catch(() => []);
  const name = names.find((candidate) => candidate.startsWith(`${hash}-`));
  return name && join(shard, name);
}
