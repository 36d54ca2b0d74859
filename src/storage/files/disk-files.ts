import { createHash } from "node:crypto";
import { link, mkdir, mkdtemp, open, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import type { Readable } from "node:stream";
import type { FileStore, ReceivedFile } from "../../domain/files/file-store.ts";
import { DomainError } from "../../errors.ts";
import { mapDiskFull } from "../../platform/disk-full.ts";
import { openPrivateFolders } from "./private-folders.ts";
import { writeOnce } from "./write-once.ts";

export type DiskFiles = FileStore & {
  /** Whether the files are this database's: the first that asks has them for good. */
  belongTo(databaseId: string): Promise<boolean>;
  /** The keys of stored files that were last written before `time`. */
  keysBefore(time: number): Promise<readonly string[]>;
};

/** Files in a local folder. What arrives lies beside them on the same disk, so that keeping it is a rename. */
export async function diskFiles(folder: string): Promise<DiskFiles> {
  // absolute, because ffmpeg works in a folder of its own
  const stored = resolve(folder, "files");
  await mkdir(stored, { recursive: true, mode: 0o700 });
  const own = await openPrivateFolders(resolve(folder));
  const pathOf = (key: string) => join(stored, requireKey(key));

  return {
    receive: (bytes, maxBytes) =>
      mapDiskFull(receiveFile(bytes, join(own.received, Bun.randomUUIDv7("hex")), maxBytes)),

    keep: async ({ path }, key) => mapDiskFull(putSafely(rename, path, pathOf(key))),

    keepToo: async (path, key) => mapDiskFull(putSafely(link, path, pathOf(key))),

    async discard({ path }) {
      await rm(path, { force: true }).catch(() => {});
    },

    // a file that is read slowly, or not to its end, holds neither memory nor a descriptor
    read: (key, start, end) => Bun.file(pathOf(key)).slice(start, end).stream(),

    localPath: async (key) => pathOf(key),

    async remove(keys) {
      for (const key of keys) await rm(pathOf(key), { force: true });
    },

    jobFolder: () => mapDiskFull(mkdtemp(join(own.jobs, "job-"))),

    belongTo: async (databaseId) => (await writeOnce(resolve(folder, "files-of-database"), databaseId)) === databaseId,

    async keysBefore(time) {
      const entries = await readdir(stored, { recursive: true, withFileTypes: true });
      const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
      const times = await Promise.all(paths.map(writtenAt));
      return paths.filter((_, index) => times[index]! < time).map((path) => relative(stored, path));
    },
  };
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

/** Gives a file of the same disk another name; both outlive a crash when this resolves. */
async function putSafely(put: typeof rename | typeof link, from: string, to: string): Promise<void> {
  await syncToDisk(from);
  const folders = await makeFolder(dirname(to));
  await put(from, to);
  for (const changed of folders) await syncToDisk(changed);
}

/** A file that is gone meanwhile counts as young. */
const writtenAt = (path: string): Promise<number> =>
  stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => Number.POSITIVE_INFINITY,
  );

/** Names of our own making, so a key that could leave the folder is a defect and not a caller's mistake. */
function requireKey(key: string): string {
  if (key.length > 200 || !/^\w[\w.-]*(\/\w[\w.-]*)*$/.test(key)) throw new Error("This is not the key of a file.");
  return key;
}

/** Makes a folder with those above it; answers every folder whose list of names is new or about to change. */
async function makeFolder(folder: string): Promise<readonly string[]> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return [folder];
  const below = relative(dirname(first), folder).split("/");
  return [dirname(first), ...below.map((_, index) => join(dirname(first), ...below.slice(0, index + 1)))];
}

/** The name of a file is safe on disk only when its folder is synced too. */
async function syncToDisk(path: string): Promise<void> {
  const handle = await open(path);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
