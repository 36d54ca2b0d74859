import {
  constants,
  copyFile,
  link,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  rmdir,
  stat,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import type { FileReference } from "../../engine/ports.ts";
import { DamagedFileError, isMissing, mapDiskFull } from "../../platform/files.ts";
import { sha256OfFile } from "./hash.ts";
import { localFiles, requireKey, type StorageFiles } from "./local-files.ts";

/** A file store in a local folder. Received files are on the same disk, so that storing one is a rename. */
export async function diskFiles(folder: string): Promise<StorageFiles> {
  // absolute, because ffmpeg runs in a folder of its own
  const storeFolder = resolve(folder, "files");
  await mkdir(storeFolder, { recursive: true, mode: 0o700 });
  const local = await localFiles(folder);
  const pathOf = (key: string) => join(storeFolder, requireKey(key));
  const wholeFile = async ({ key, sizeBytes }: FileReference) => {
    const path = pathOf(key);
    if (sizeBytes !== undefined) await requireSize(path, sizeBytes);
    return path;
  };
  // work on a truncated file fails as if the file did not exist
  const usableFile = (file: FileReference) =>
    wholeFile(file).catch((error) => {
      throw error instanceof DamagedFileError ? Object.assign(error, { code: "ENOENT" }) : error;
    });

  return {
    ...local,

    store: async ({ path }, key) => mapDiskFull(addDurably(rename, path, pathOf(key))),

    storeCopy: async ({ path }, key) => mapDiskFull(linkAsNew(path, pathOf(key))),

    copy: async (key, newKey) => mapDiskFull(linkAsNew(pathOf(key), pathOf(newKey))),

    // lazy: a slow or abandoned reader holds neither memory nor a file descriptor
    read: async (file, start, end) =>
      Bun.file(await wholeFile(file))
        .slice(start, end)
        .stream(),

    withLocalFile: async (file, use) => use(await usableFile(file)),

    linkTo: async (file, path) => linkOrPoint(await usableFile(file), path),

    async remove(keys) {
      for (const path of keys.map(pathOf)) {
        await rm(path, { force: true });
        // fails if it contains other files
        if (dirname(path) !== storeFolder) await rmdir(dirname(path)).catch(() => {});
      }
    },

    removeFolder: (folder) => rm(pathOf(folder), { recursive: true, force: true }),

    claimForDatabase: async (databaseId) =>
      (await readOrCreate(resolve(folder, "files-of-database"), databaseId)) === databaseId,

    keysWrittenBefore: (time) => keysWrittenBefore(storeFolder, time),

    sha256Of: async (key) => ((await Bun.file(pathOf(key)).exists()) ? await sha256OfFile(pathOf(key)) : undefined),
  };
}

/** Returns the content of a private file; creates it with `text` if it does not exist. The first writer wins. */
export async function readOrCreate(path: string, text: string): Promise<string> {
  await writeFile(path, text, { mode: 0o600, flag: "wx" }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  return readFile(path, "utf8");
}

/** Renames or links a file on the same disk. The file and its new name survive a crash once this resolves. */
async function addDurably(add: (from: string, to: string) => Promise<void>, from: string, to: string): Promise<void> {
  await syncToDisk(from);
  const addToFolder = async () => {
    const folders = await makeFolder(dirname(to));
    await add(from, to);
    return folders;
  };
  // retried once, because removing a folder's last file removes the folder
  const folders = await addToFolder().catch(addToFolder);
  for (const folder of folders) await syncToDisk(folder);
}

/** Sets the times of the file first: an orphan sweep must not take the new name for an old orphan. */
async function linkAsNew(from: string, to: string): Promise<void> {
  await utimes(from, new Date(), new Date());
  await addDurably(linkOrCopy, from, to);
}

/** Copies where hard links fail: across file systems, and on some file systems. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  await link(from, to).catch(async (error: NodeJS.ErrnoException) => {
    if (isMissing(error) || error.code === "EEXIST") throw error;
    const part = `${to}.${Bun.randomUUIDv7("hex")}`;
    try {
      await copyFile(from, part, constants.COPYFILE_FICLONE);
      await addDurably(rename, part, to);
    } finally {
      await rm(part, { force: true });
    }
  });
}

/** Throws if the size of a file differs from its row: a reader or a film would take it for the whole file. */
async function requireSize(path: string, sizeBytes: number): Promise<void> {
  const { size } = await stat(path);
  if (size !== sizeBytes)
    throw new DamagedFileError(`The stored file ${path} is damaged: ${size} bytes instead of ${sizeBytes}.`);
}

/** Makes a hard link, or a symbolic one: hard links fail across file systems, and some file systems have none. */
async function linkOrPoint(from: string, to: string): Promise<void> {
  await link(from, to).catch(async (error) => {
    if (isMissing(error)) throw error;
    await symlink(from, to);
  });
}

async function keysWrittenBefore(storeFolder: string, time: number): Promise<readonly string[]> {
  const entries = await readdir(storeFolder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const old: string[] = [];
  for (let at = 0; at < paths.length; at += statsAtOnce) {
    const some = paths.slice(at, at + statsAtOnce);
    const times = await Promise.all(some.map(writtenAt));
    old.push(...some.filter((_, index) => times[index]! < time));
  }
  return old.map((path) => relative(storeFolder, path));
}

/** More would fill the threads that also read files for requests. */
const statsAtOnce = 32;

/** Infinity if the file no longer exists, so that it is never older than any time. */
const writtenAt = (path: string): Promise<number> =>
  stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => Number.POSITIVE_INFINITY,
  );

/** Creates a folder and its missing parents. Returns all folders with a new entry, which must be synced. */
async function makeFolder(folder: string): Promise<readonly string[]> {
  const firstCreated = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (firstCreated === undefined) return [folder];
  const parent = dirname(firstCreated);
  const names = relative(parent, folder).split("/");
  return [parent, ...names.map((_, index) => join(parent, ...names.slice(0, index + 1)))];
}

/** A file's name is durable only after its folder has also been synced. */
async function syncToDisk(path: string): Promise<void> {
  const handle = await open(path);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
