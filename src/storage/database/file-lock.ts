import { Database } from "bun:sqlite";

export type Lock = { release(): void };

/**
 * Takes the file at `path` as a lock for this process alone; undefined when somebody has it. SQLite's lock on an empty
 * file does it: the kernel lets go when the process ends in any way, and no process id can be stale or be a stranger's.
 */
export function takeLock(path: string): Lock | undefined {
  const file = new Database(path);
  try {
    // no journal lies about beside the lock
    file.run("PRAGMA journal_mode = MEMORY");
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

/** A Database that is garbage collected closes its file, and the lock with it. */
const held = new Set<Database>();

const isBusy = (error: unknown) => error instanceof Error && "code" in error && error.code === "SQLITE_BUSY";
