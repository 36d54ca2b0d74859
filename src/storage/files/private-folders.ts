import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { takeLock } from "../database/file-lock.ts";

/** Where one process puts what is not finished: bytes that arrive, and the folders of its jobs. */
export type PrivateFolders = { readonly received: string; readonly jobs: string };

/**
 * Makes the folders of this process under `tmp` and `jobs`, after removing those of processes that are gone.
 * Processes that live and share the disk are told by the lock each holds on its name.
 */
export async function openPrivateFolders(folder: string): Promise<PrivateFolders> {
  const [temporary, jobs] = [join(folder, "tmp"), join(folder, "jobs")];
  for (const path of [temporary, jobs]) await mkdir(path, { recursive: true, mode: 0o700 });
  await sweep(temporary, jobs);

  const name = Bun.randomUUIDv7("hex");
  const own = { received: join(temporary, name), jobs: join(jobs, name) };
  // locked before the folders exist, so that nobody sweeps them
  takeLock(lockOf(temporary, name));
  for (const path of [own.received, own.jobs]) await mkdir(path, { mode: 0o700 });
  return own;
}

const lockOf = (temporary: string, name: string) => join(temporary, `${name}.lock`);

async function sweep(temporary: string, jobs: string): Promise<void> {
  for (const name of new Set([...(await foldersIn(temporary)), ...(await foldersIn(jobs))])) {
    const lock = takeLock(lockOf(temporary, name));
    if (!lock) continue;
    for (const path of [join(temporary, name), join(jobs, name)]) await rm(path, { recursive: true, force: true });
    await rm(lockOf(temporary, name), { force: true });
    lock.release();
  }
}

async function foldersIn(path: string): Promise<readonly string[]> {
  const entries = await readdir(path, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
}
