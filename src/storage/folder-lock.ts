import { Database } from "bun:sqlite";
import { join } from "node:path";

export type FolderLock = { release(): void };

/**
 * Takes a folder for this process alone; undefined when somebody has it. SQLite's lock on an empty file does it:
 * the kernel lets go when the process ends in any way, and no process id can be stale or mean another container.
 */
export function holdFolder(folder: string): FolderLock | undefined {
  const file = new Database(join(folder, "lock"));
  try {
    file.run("BEGIN EXCLUSIVE");
  } catch (error) {
    file.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
  held.add(file);
  return {
    release: () => {
      held.delete(file);
      file.close();
    },
  };
}

/** A collected Database closes its file, and the lock with it. */
const held = new Set<Database>();

const isBusy = (error: unknown) => error instanceof Error && "code" in error && error.code === "SQLITE_BUSY";
