import { Database } from "bun:sqlite";

export type Lock = { release(): void };

/**
 * Locks the file at `path` exclusively; undefined if it is already locked. Uses SQLite's lock on an empty file: the
 * kernel releases it however the process ends, and unlike a pid file it cannot be stale or name a reused process id.
 */
export function takeLock(path: string): Lock | undefined {
  const file = new Database(path);
  try {
    // no journal file next to the lock
    file.run("PRAGMA journal_mode = MEMORY");
    file.run("BEGIN EXCLUSIVE");
  } catch (error) {
    file.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
  openFiles.add(file);
  return {
    release: () => {
      openFiles.delete(file);
      file.close();
    },
  };
}

/** Takes the lock as soon as it is free; undefined if that takes longer than `timeoutMs`. */
export async function waitForLock(path: string, timeoutMs: number): Promise<Lock | undefined> {
  const deadline = performance.now() + timeoutMs;
  for (let pauseMs = 1; ; pauseMs = Math.min(2 * pauseMs, 20)) {
    const lock = takeLock(path);
    if (lock || performance.now() > deadline) return lock;
    // random, so that waiting processes do not retry at the same time
    await Bun.sleep(pauseMs * (0.5 + Math.random()));
  }
}

/** Prevents garbage collection, which would close the file and release the lock. */
const openFiles = new Set<Database>();

const isBusy = (error: unknown) => error instanceof Error && "code" in error && error.code === "SQLITE_BUSY";
