import type { FileStore } from "../../engine/ports.ts";

/** Rows that a clean-up removes at a time: a statement ends in time, however many rows wait. */
export const rowsAtOnce = 500;

/** Repeats a step that returns the number of its rows, until it finds fewer than `rowsAtOnce` or the time is up. */
export async function repeatWhileFull(step: () => Promise<number>, until: number): Promise<void> {
  while ((await step()) >= rowsAtOnce && Date.now() < until);
}

export type Expired = { readonly id: string; readonly fileKeys: readonly string[] };

/** Rows that expire together with files. */
export type ExpiringFiles = {
  /** The oldest expired rows, up to `rowsAtOnce`. */
  listExpired(now: number): Promise<readonly Expired[]>;
  removeExpired(ids: readonly string[], now: number): Promise<void>;
};

/** Removes up to `rowsAtOnce` expired rows with their files. Returns their number. */
export async function removeExpiredFiles(
  rows: ExpiringFiles,
  files: Pick<FileStore, "remove">,
  now: number,
): Promise<number> {
  const expired = await rows.listExpired(now);
  // first: until its row is gone, the next attempt finds a file
  const fileKeys = expired.flatMap((row) => row.fileKeys);
  if (fileKeys.length > 0) await files.remove(fileKeys);
  if (expired.length > 0)
    await rows.removeExpired(
      expired.map(({ id }) => id),
      now,
    );
  return expired.length;
}
