import { createHash } from "node:crypto";
import { mkdir, mkdtemp, open, readdir, rm, statfs, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Readable } from "node:stream";
import type { FileStore, ReceivedFile } from "../../engine/ports.ts";
import { DomainError } from "../../errors.ts";
import { mapDiskFull } from "../../platform/files.ts";
import { takeLock } from "../database/file-lock.ts";

export type StorageFiles = FileStore &
  LocalFiles & {
    /** The first database to call this owns the files permanently. False if another one owns them. */
    claimForDatabase(databaseId: string): Promise<boolean>;
    /** The keys of stored files that were last written before `time`. */
    keysWrittenBefore(time: number): Promise<readonly string[]>;
    /** The hexadecimal hash of a stored file, computed from its bytes on a disk; undefined if it does not exist. */
    sha256Of(key: string): Promise<string | undefined>;
  };

/** Unfinished files of a process, which are on the local disk with any store. */
type LocalFiles = Pick<FileStore, "receive" | "discard" | "jobFolder"> & {
  /** Removes received files and job folders of ended processes that shared the folder. */
  removeAbandoned(): Promise<void>;
  /** Throws if files cannot be written. */
  checkWritable(): Promise<void>;
  /** Throws if the disk is practically full. */
  checkFreeSpace(): Promise<void>;
};

/** `newPath` returns the path of a new private file. */
export async function localFiles(folder: string): Promise<LocalFiles & { newPath(): string }> {
  const { received, jobs } = await openPrivateFolders(resolve(folder));
  const newPath = () => join(received, Bun.randomUUIDv7("hex"));

  return {
    newPath,

    receive: (bytes, maxBytes) => mapDiskFull(receiveFile(bytes, newPath(), maxBytes)),

    async discard({ path }) {
      await rm(path, { force: true }).catch(() => {});
    },

    jobFolder: () => mapDiskFull(mkdtemp(join(jobs, "job-"))),

    removeAbandoned: () => removeAbandoned(resolve(folder)),

    checkWritable: () => writeAndRemove(join(received, "check")),

    checkFreeSpace: () => requireFreeBytes(resolve(folder)),
  };
}

async function writeAndRemove(path: string): Promise<void> {
  await writeFile(path, "check", { mode: 0o600 });
  await rm(path);
}

/** With less, no upload or export can succeed. */
const minFreeBytes = 8 * 1024 * 1024;

/** The free bytes of a folder's disk that this process may use. */
export async function freeBytesAt(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

async function requireFreeBytes(folder: string): Promise<void> {
  if ((await freeBytesAt(folder)) < minFreeBytes) throw new Error("The disk is full.");
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

/** The service creates all keys, so a key that could leave the folder is a bug, not a caller's error. */
export function requireKey(key: string): string {
  if (key.length > 200 || !/^\w[\w.-]*(\/\w[\w.-]*)*$/.test(key)) throw new Error("This is not the key of a file.");
  return key;
}

/** Folders for unfinished files, private to one process: received bytes and job folders. */
type PrivateFolders = { readonly received: string; readonly jobs: string };

/**
 * Makes this process's folders under `tmp` and `jobs`, and removes those of ended processes. Each process locks a file
 * `tmp/<name>.lock`, so processes that share the disk do not remove each other's folders.
 */
async function openPrivateFolders(folder: string): Promise<PrivateFolders> {
  const temporary = join(folder, "tmp");
  const jobs = join(folder, "jobs");
  for (const path of [temporary, jobs]) await mkdir(path, { recursive: true, mode: 0o700 });
  await removeAbandoned(folder);

  const name = Bun.randomUUIDv7("hex");
  const own = { received: join(temporary, name), jobs: join(jobs, name) };
  // locked before the folders exist, so that no other process removes them
  takeLock(lockPath(temporary, name));
  for (const path of [own.received, own.jobs]) await mkdir(path, { mode: 0o700 });
  return own;
}

const lockPath = (temporary: string, name: string) => join(temporary, `${name}.lock`);

/** Removes folders of ended processes; the lock of a running process, including this one, is taken. */
async function removeAbandoned(folder: string): Promise<void> {
  const temporary = join(folder, "tmp");
  const jobs = join(folder, "jobs");
  for (const name of new Set([...(await foldersIn(temporary)), ...(await foldersIn(jobs))])) {
    const lock = takeLock(lockPath(temporary, name));
    if (!lock) continue;
    for (const path of [join(temporary, name), join(jobs, name)]) await rm(path, { recursive: true, force: true });
    await rm(lockPath(temporary, name), { force: true });
    lock.release();
  }
}

async function foldersIn(path: string): Promise<readonly string[]> {
  const entries = await readdir(path, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
}
