import { rm } from "node:fs/promises";
import { mapDiskFull } from "./disk-full.ts";

/** Runs `work` in a folder that `make` creates, and removes it afterwards. Throws storage_full if the disk is full. */
export async function withJobFolder<Result>(
  make: () => Promise<string>,
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = await make();
  try {
    return await mapDiskFull(work(folder));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
