import { utimes } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { FileReference } from "../../engine/ports.ts";
import { sha256Of } from "../../platform/values.ts";
import { addEntry, lruWriter, removeEntry, sizeOnDisk, tryLink } from "../files/lru-folder.ts";

/** Verified copies of stored files on the local disk, named by content where it is known. */
export type Scratch = {
  /** The path of a copy, which may be evicted; undefined if there is none. */
  find(file: FileReference): Promise<string | undefined>;
  /** Hard-links a copy to a new path. False if there is none. */
  linkTo(file: FileReference, path: string): Promise<boolean>;
  /** Adds a file, which must not change afterwards, if it fits. Never throws. */
  add(file: FileReference, path: string): Promise<void>;
  /** Removes a copy that is named by its key. */
  removeByKey(key: string): Promise<void>;
};

/** An LRU cache that processes can share: a file's mtime records its last use. */
export function openScratch(dataDir: string, maxBytes: number): Scratch {
  const folder = resolve(dataDir, "scratch");
  const insert = lruWriter(folder, maxBytes);
  const shardOf = (name: string) => join(folder, name.slice(0, 2));
  const pathOf = (name: string) => join(shardOf(name), name);

  return {
    async find(file) {
      const path = pathOf(nameOf(file));
      return (await touch(path)) ? path : undefined;
    },

    async linkTo(file, path) {
      const entry = pathOf(nameOf(file));
      const isLinked = await tryLink(entry, path);
      if (isLinked) await touch(entry);
      return isLinked;
    },

    async add(file, path) {
      const { size } = Bun.file(path);
      const name = nameOf(file);
      if (await touch(pathOf(name))) return;
      const entry = { shard: shardOf(name), name, path };
      if (size <= maxBytes) await insert(sizeOnDisk(size), () => addEntry(entry)).catch(() => {});
    },

    removeByKey: (key) => removeEntry(pathOf(nameOf({ key }))),
  };
}

const nameOf = ({ key, sha256 }: FileReference): string => sha256 ?? `${sha256Of(key)}-key`;

/** False if the file does not exist. */
const touch = (path: string): Promise<boolean> =>
  utimes(path, new Date(), new Date()).then(
    () => true,
    () => false,
  );
