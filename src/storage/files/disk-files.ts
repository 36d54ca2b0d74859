import { createHash } from "node:crypto";
import {
  link,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rename,
  rm,
  rmdir,
  stat,
  statfs,
  utimes,
  writeFile,
} from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import type { Readable } from "node:stream";
import type { FileStore, ReceivedFile } from "../../domain/files/file-store.ts";
import { DomainError } from "../../errors.ts";
import { mapDiskFull } from "../../platform/disk-full.ts";
import { openPrivateFolders, removeAbandoned } from "./private-folders.ts";

export type DiskFiles = FileStore & {
  /** Removes the received files and job folders of ended processes that shared the folder. */
  removeAbandoned(): Promise<void>;
  /** The first database that calls this owns the files permanently. False if another one owns them. */
  claimForDatabase(databaseId: string): Promise<boolean>;
  /** Throws if files cannot be written. */
  checkWritable(): Promise<void>;
  /** Throws if the disk is practically full. */
  checkFreeSpace(): Promise<void>;
  /** The keys of stored files that were last written before `time`. */
  keysWrittenBefore(time: number): Promise<readonly string[]>;
};

/** A file store in a local folder. Received files are on the same disk, so that storing one is a rename. */
export async function diskFiles(folder: string): Promise<DiskFiles> {
  // absolute, because ffmpeg runs in a folder of its own
  const storeFolder = resolve(folder, "files");
  await mkdir(storeFolder, { recursive: true, mode: 0o700 });
  const privateFolders = await openPrivateFolders(resolve(folder));
  const pathOf = (key: string) => join(storeFolder, requireKey(key));

  return {
    receive: (bytes, maxBytes) =>
      mapDiskFull(receiveFile(bytes, join(privateFolders.received, Bun.randomUUIDv7("hex")), maxBytes)),

    store: async ({ path }, key) => mapDiskFull(addDurably(rename, path, pathOf(key))),

    hardLink: async (path, key) => mapDiskFull(linkAsNew(path, pathOf(key))),

    async discard({ path }) {
      await rm(path, { force: true }).catch(() => {});
    },

    // lazy: a slow or abandoned reader holds neither memory nor a file descriptor
    read: (key, start, end) => Bun.file(pathOf(key)).slice(start, end).stream(),

    localPath: async (key) => pathOf(key),

    async remove(keys) {
      for (const path of keys.map(pathOf)) {
        await rm(path, { force: true });
        // fails if it holds other files
        if (dirname(path) !== storeFolder) await rmdir(dirname(path)).catch(() => {});
      }
    },

    removeFolder: (folder) => rm(pathOf(folder), { recursive: true, force: true }),

    jobFolder: () => mapDiskFull(mkdtemp(join(privateFolders.jobs, "job-"))),

    removeAbandoned: () => removeAbandoned(resolve(folder)),

    claimForDatabase: async (databaseId) =>
      (await readOrCreate(resolve(folder, "files-of-database"), databaseId)) === databaseId,

    checkWritable: () => writeAndRemove(join(privateFolders.received, "check")),

    checkFreeSpace: () => requireFreeBytes(storeFolder),

    keysWrittenBefore: (time) => keysWrittenBefore(storeFolder, time),
  };
}

/** Returns the content of a private file, and creates it with `text` if it does not exist: the first writer wins. */
export async function readOrCreate(path: string, text: string): Promise<string> {
  await writeFile(path, text, { mode: 0o600, flag: "wx" }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  return readFile(path, "utf8");
}

async function writeAndRemove(path: string): Promise<void> {
  await writeFile(path, "check", { mode: 0o600 });
  await rm(path);
}

/** With less, no upload or export can succeed. */
const minFreeBytes = 8 * 1024 * 1024;

async function requireFreeBytes(folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize < minFreeBytes) throw new Error("The disk is full.");
}

async function receiveFile(bytes: Readable, path: string, maxBytes: number): Promise<ReceivedFile> {
  const hash = createHash("sha256");
  let sizeBytes = 0;
  const file = await open(path, "wx", 0o600);
  try {
    for await (const chunk of bytes) {
      sizeBytes += chunk.byteLength;
      if (sizeBytes > maxBytes) throw new DomainError("payload_too_large", { maxBytes });
      // the disk writes while this thread hashes
      const written = file.writeFile(chunk);
      hash.update(chunk);
      await written;
    }
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
  return { path, sizeBytes, sha256: hash.digest("hex") };
}

/** Renames or links a file on the same disk. The file and its new name survive a crash once this resolves. */
async function addDurably(add: typeof rename | typeof link, from: string, to: string): Promise<void> {
  await syncToDisk(from);
  const addToFolder = async () => {
    const folders = await makeFolder(dirname(to));
    await add(from, to);
    return folders;
  };
  // once more, because the removal of its last file removes a folder
  const folders = await addToFolder().catch(addToFolder);
  for (const folder of folders) await syncToDisk(folder);
}

/** Sets the times of the file first: an orphan sweep must not take the new name of an old file for an old orphan. */
async function linkAsNew(from: string, to: string): Promise<void> {
  await utimes(from, new Date(), new Date());
  await addDurably(link, from, to);
}

async function keysWrittenBefore(storeFolder: string, time: number): Promise<readonly string[]> {
  const entries = await readdir(storeFolder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const times = await Promise.all(paths.map(writtenAt));
  return paths.filter((_, index) => times[index]! < time).map((path) => relative(storeFolder, path));
}

/** Infinity if the file no longer exists, so that it is never older than a time. */
const writtenAt = (path: string): Promise<number> =>
  stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => Number.POSITIVE_INFINITY,
  );

/** The service creates all keys, so a key that could leave the folder is a bug and not a caller's error. */
function requireKey(key: string): string {
  if (key.length > 200 || !/^\w[\w.-]*(\/\w[\w.-]*)*$/.test(key)) throw new Error("This is not the key of a file.");
  return key;
}

/** Creates a folder and its missing parents. Returns all folders with a new entry, which must be synced. */
async function makeFolder(folder: string): Promise<readonly string[]> {
  const firstCreated = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (firstCreated === undefined) return [folder];
  const parent = dirname(firstCreated);
  const names = relative(parent, folder).split("/");
  return [parent, ...names.map((_, index) => join(parent, ...names.slice(0, index + 1)))];
}

/** A file's name is durable only after its folder has been synced as well. */
async function syncToDisk(path: string): Promise<void> {
  const handle = await open(path);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
