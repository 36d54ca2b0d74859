import { readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { ExportStore } from "../domain/exports/lifecycle/jobs.ts";
import type { HangWatch } from "./hang-thread.ts";

export type HangGuard = {
  /** Runs the work of an export, whose id is noted in case the process hangs. */
  during<Result>(exportId: string, run: () => Promise<Result>): Promise<Result>;
};

const hangsFolder = (dataDir: string): string => join(dataDir, "hangs");

/** Room for some thousand ids. */
const maxNoteBytes = 65_536;

const limits = { tickMs: 3_000, maxTicks: 10 };

/**
 * Ends the process with SIGKILL once its main thread has computed for 30 s without a turn of the event loop, when
 * neither signals nor deadlines work. Another thread first notes the running exports. Tests shorten the time.
 */
export function guardAgainstHangs(dataDir: string, { tickMs, maxTicks } = limits): HangGuard {
  const beats = new Int32Array(new SharedArrayBuffer(4));
  // instead of a message, which needs a turn of the event loop
  const note = new Uint8Array(new SharedArrayBuffer(maxNoteBytes));
  const workerData: HangWatch = { beats, note, tickMs, maxTicks, folder: hangsFolder(dataDir) };
  const thread = new Worker(new URL("./hang-thread.ts", import.meta.url), { workerData });
  thread.unref();
  setInterval(() => Atomics.add(beats, 0, 1), tickMs / 2).unref();

  const running = new Set<string>();
  const tell = () => new TextEncoder().encodeInto(`${[...running].join(" ")}\n`, note);
  return {
    async during(exportId, run) {
      running.add(exportId);
      tell();
      try {
        return await run();
      } finally {
        running.delete(exportId);
        tell();
      }
    },
  };
}

/** Counts the exports in the notes of hung processes, and removes the notes. Call before exports are taken. */
export async function recordHangs(dataDir: string, exports: Pick<ExportStore, "recordHang">): Promise<void> {
  const folder = hangsFolder(dataDir);
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((name) => name.endsWith(".txt"))) {
    // if several processes share the folder, the one that renames the note counts it
    const taken = join(folder, `${name}.taken`);
    const isTaken = await rename(join(folder, name), taken).then(
      () => true,
      () => false,
    );
    if (!isTaken) continue;
    const exportIds = (await Bun.file(taken).text()).split(" ");
    for (const exportId of exportIds.filter((id) => id !== "")) await exports.recordHang(exportId, Date.now());
    await rm(taken, { force: true });
  }
}
