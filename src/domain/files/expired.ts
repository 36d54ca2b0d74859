import type { FileStore } from "../../engine/ports.ts";

/** The most records that a clean-up removes at once, so that each statement ends in time. */
export const rowsAtOnce = 500;

/** Repeats a step that returns the number of its records, until it finds fewer than `rowsAtOnce` or the time is up. */
export async function repeatWhileFull(step: () => Promise<number>, until: number): Promise<void> {
  while ((await step()) >= rowsAtOnce && Date.now() < until);
}

export type Expired = { readonly id: string; readonly fileKeys: readonly string[] };

/** Records that expire together with files. */
export type ExpiringFiles = {
  /** The oldest expired records, up to `rowsAtOnce`. */
  listExpired(now: number): Promise<readonly Expired[]>;
  removeExpired(ids: readonly string[], now: number): Promise<void>;
};

/** Removes up to `rowsAtOnce` expired records with their files. Returns their number. */
export async function removeExpiredFiles(
  rows: ExpiringFiles,
  files: Pick<FileStore, "remove">,
  now: number,
): Promise<number> {
  const expired = await rows.listExpired(now);
  // first: until its record is removed, the next attempt finds a file
  const fileKeys = expired.flatMap((row) => row.fileKeys);
  if (fileKeys.length > 0) await files.remove(fileKeys);
  if (expired.length > 0)
    await rows.removeExpired(
      expired.map(({ id }) => id),
      now,
    );
  return expired.length;
}
