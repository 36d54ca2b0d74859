import { createHash } from "node:crypto";
import { rm, utimes } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { FileReference, FileToStore } from "../../engine/ports.ts";
import { runAll } from "../../platform/async.ts";
import { ifMissing, mapDiskFull } from "../../platform/files.ts";
import { sha256Of } from "../../platform/values.ts";
import { sha256OfFile } from "../files/hash.ts";
import { localFiles, requireKey, type StorageFiles } from "../files/local-files.ts";
import { addEntry, lruWriter, removeEntry, sizeOnDisk, tryLink } from "../files/lru-folder.ts";
import { downloadObject, streamObject } from "./body.ts";
import type { Bucket } from "./bucket.ts";
import { StoreRefusal } from "./errors.ts";

type S3FilesOptions = {
  readonly bucket: Bucket;
  readonly dataDir: string;
  /** Redirects downloads to the bucket. */
  readonly hasPublicUrls: boolean;
  /** The limit of local copies in `dataDir/scratch`. */
  readonly scratchBytes: number;
};

/** Files up to this size are read from a local copy, which gives responses a Content-Length. */
const maxCopiedBytes = 64 * 1024 * 1024;

/** Ranges of larger files are held in memory up to this size, for the same reason. */
const maxHeldBytes = 2 * 1024 * 1024;

/** The folder of all stored files in the bucket. */
const folder = "files/";

/** Browsers send every seek in a video to the URL of the first redirect. */
const publicUrlSeconds = 6 * 3600;

/** A file store in a bucket, with unfinished files and copies on the local disk. */
export async function s3Files(options: S3FilesOptions): Promise<StorageFiles> {
  const { bucket, dataDir, hasPublicUrls, scratchBytes } = options;
  const { newPath, ...local } = await localFiles(dataDir);
  const scratch = openScratch(dataDir, scratchBytes);
  const objectOf = (key: string) => folder + requireKey(key);
  const place = filePlacer(bucket, scratch, objectOf);

  const upload = async ({ path, sha256 }: FileToStore, key: string) => {
    const object = objectOf(key);
    await bucket.put(object, Bun.file(path), { sha256: sha256 ?? (await sha256OfFile(path)) });
    await scratch.add({ key, ...(sha256 && { sha256 }) }, path);
  };

  return {
    ...local,

    async store(file, key) {
      await upload(file, key);
      await rm(file.path, { force: true });
    },

    storeCopy: upload,

    copy: async (key, newKey) => bucket.copy(objectOf(key), objectOf(newKey)),

    async read(file, start, end) {
      const object = objectOf(file.key);
      if (start === end) return new Blob([]).stream();
      const isCopied = (file.sizeBytes ?? end) <= Math.min(maxCopiedBytes, scratchBytes);
      const path = (await scratch.find(file)) ?? (isCopied ? await copyToScratch(file) : undefined);
      if (path) return Bun.file(path).slice(start, end).stream();
      const stream = await streamObject(bucket, object, { start, end });
      return end - start <= maxHeldBytes ? new Blob([await new Response(stream).bytes()]).stream() : stream;
    },

    ...(hasPublicUrls && {
      publicUrl: async (key, { contentType, contentDisposition }) => {
        const headers = {
          "response-content-type": contentType,
          "response-content-disposition": contentDisposition,
          "response-cache-control": "private",
        };
        return bucket.presign(objectOf(key), headers, publicUrlSeconds);
      },
    }),

    async withLocalFile(file, use) {
      const path = newPath();
      try {
        await place(file, path);
        return await use(path);
      } finally {
        await rm(path, { force: true });
      }
    },

    linkTo: place,

    remove: async (keys) => removeObjects(bucket, scratch, new Map(keys.map((key) => [key, objectOf(key)]))),

    async removeFolder(name) {
      const keys = new Map<string, string>();
      for await (const { objects } of bucket.list(`${objectOf(name)}/`)) {
        for (const { key } of objects) keys.set(key.slice(folder.length), key);
      }
      await removeAll(bucket, scratch, keys);
    },

    claimForDatabase: (databaseId) => claimObject(bucket, "files-of-database", databaseId),

    async checkWritable() {
      await local.checkWritable();
      await bucket.check();
    },

    async sha256Of(key) {
      const object = objectOf(key);
      const response = await bucket.get(object).catch(ifMissing(undefined));
      if (!response) return undefined;
      const stored = response.headers.get("x-amz-meta-sha256");
      if (stored === null) return await hashOfBody(response);
      await response.body?.cancel();
      return stored;
    },

    async keysWrittenBefore(time) {
      const keys: string[] = [];
      for await (const { objects } of bucket.list(folder)) {
        for (const { key, writtenAt } of objects) if (writtenAt < time) keys.push(key.slice(folder.length));
      }
      return keys;
    },
  };

  async function copyToScratch(file: FileReference): Promise<string | undefined> {
    const path = newPath();
    try {
      await place(file, path);
    } finally {
      await rm(path, { force: true });
    }
    return await scratch.find(file);
  }
}

/** Hashes an object that the service did not store itself. */
async function hashOfBody({ body }: Response): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of body!) hash.update(chunk); // safe because responses to GET have a body
  return hash.digest("hex");
}

/** Links a file's copy to a new path. If there is none, downloads it once for all waiting callers. */
function filePlacer(bucket: Bucket, scratch: Scratch, objectOf: (key: string) => string) {
  const downloads = new Map<string, Promise<void>>();

  return async (file: FileReference, path: string): Promise<void> => {
    const object = objectOf(file.key);
    if (await scratch.linkTo(file, path)) return;
    const running = downloads.get(object);
    if (running) {
      await running;
      if (await scratch.linkTo(file, path)) return;
    }
    const download = mapDiskFull(downloadObject(bucket, object, path, file.sha256)).then(() => scratch.add(file, path));
    downloads.set(object, download);
    await download.finally(() => {
      if (downloads.get(object) === download) downloads.delete(object);
    });
  };
}

const removalsAtOnce = 8;

/** Objects that cannot be removed now are left to the sweep: their rows no longer exist. */
const removeObjects = (...args: Parameters<typeof removeAll>): Promise<void> => removeAll(...args).catch(() => {});

async function removeAll(bucket: Bucket, scratch: Scratch, objects: ReadonlyMap<string, string>): Promise<void> {
  const tasks = [...objects].map(([key, object]) => async () => {
    await scratch.removeByKey(key);
    await bucket.remove(object);
  });
  const { signal } = new AbortController();
  await runAll(tasks, { concurrency: removalsAtOnce, signal });
}

/** The first to claim an object owns it. False if another one owns it. */
async function claimObject(bucket: Bucket, object: string, text: string): Promise<boolean> {
  const sha256 = sha256Of(text);
  const current = async () => bucket.get(object).then((response) => response.text(), ifMissing(undefined));
  const found = await current();
  if (found !== undefined) return found === text;
  await bucket.put(object, new Blob([text]), { sha256, once: true }).catch((error) => {
    // some stores ignore conditions: there, two simultaneous first starts are not distinguished
    if (!(error.cause instanceof StoreRefusal && error.cause.status === 501)) throw error;
    return bucket.put(object, new Blob([text]), { sha256 });
  });
  return (await current()) === text;
}

/** Verified copies of stored files on the local disk, named by content where it is known. */
type Scratch = {
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
function openScratch(dataDir: string, maxBytes: number): Scratch {
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
