import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { takeLock } from "../database/file-lock.ts";

/** Folders for unfinished files, private to one process: received bytes and job folders. */
type PrivateFolders = { readonly received: string; readonly jobs: string };

/**
 * Makes this process's folders under `tmp` and `jobs`, and removes those of ended processes. Each process locks a file
 * `tmp/<name>.lock`, so processes that share the disk do not remove each other's folders.
 */
export async function openPrivateFolders(folder: string): Promise<PrivateFolders> {
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

/** Removes the folders of ended processes; the lock of a running one, also of this one, is taken. */
export async function removeAbandoned(folder: string): Promise<void> {
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
