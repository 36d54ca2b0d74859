import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { concurrencyLimit } from "../../platform/limits/concurrency-limit.ts";
import { type Lock, waitForLock } from "../database/file-lock.ts";

/** `counted` is infinite if the size is unknown. `save` stores a new size; false if it cannot, as on a full disk. */
type ChangeSize = (counted: number, save: (bytes: number) => Promise<boolean>) => Promise<void>;

/** A process that holds the lock longer is frozen or scans a slow disk. */
const maxWaitMs = 2_000;

/**
 * Counts the bytes of a folder for all processes that share it, in a file beside it. Returns a function that runs a
 * change while no other process runs one. Does nothing if the lock is not free in time or cannot be taken.
 */
export function sharedSize(folder: string): (change: ChangeSize) => Promise<void> {
  // one change at a time in this process, so that its changes do not poll for the lock against each other
  const takeTurns = concurrencyLimit({ concurrency: 1 });
  const sizePath = `${folder}.size`;
  const save = (bytes: number) =>
    Bun.write(sizePath, `${bytes}\n`).then(
      () => true,
      () => false,
    );
  // the first change of each process finds the size unknown, which repairs errors made while none ran
  let isFirst = true;

  return (change) =>
    takeTurns(async () => {
      const lock = await lockBeside(folder).catch(() => undefined);
      if (!lock) return;
      try {
        const counted = isFirst ? Number.POSITIVE_INFINITY : await readSize(sizePath);
        await change(counted, save);
        isFirst = false;
      } finally {
        lock.release();
      }
    });
}

export async function countedBytes(folder: string): Promise<number | undefined> {
  const bytes = await readSize(`${folder}.size`);
  return Number.isFinite(bytes) ? bytes : undefined;
}

async function lockBeside(folder: string): Promise<Lock | undefined> {
  await mkdir(dirname(folder), { recursive: true, mode: 0o700 });
  return waitForLock(`${folder}.lock`, maxWaitMs);
}

/** Infinite unless the file is complete: a killed process may leave it empty. */
async function readSize(path: string): Promise<number> {
  const text = await Bun.file(path)
    .text()
    .catch(() => "");
  return /^\d+\n$/.test(text) ? Number(text) : Number.POSITIVE_INFINITY;
}
