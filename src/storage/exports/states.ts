import { EventEmitter, once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { ChangeFilter, ExportChanges, ExportStates } from "../../domain/exports/changes.ts";
import { type ExportState, type ExportStore, hasEnded } from "../../domain/exports/jobs.ts";
import { isUnavailable } from "../../errors.ts";

type Exports = Pick<ExportStore, "findState">;
type Watched = Pick<ExportState, "id" | "userId" | "expiresAt">;

/** What the last read returned: `state` is undefined if there is no such export. */
type Read = { readonly state: ExportState | undefined } | { readonly error: unknown };

/** Reads one export after each of its changes, for all that watch it. */
type Reader = {
  readonly reads: EventEmitter;
  latest: Read | undefined;
  watchers: number;
  stop(): void;
};

/** Watches exports with one subscription and one query for each change, however many watch in this process. */
export function exportStates(exports: Exports, exportChanges: ExportChanges): ExportStates {
  const readers = new Map<string, Reader>();

  const startReader = (key: string, job: Watched, filter: ChangeFilter): Reader => {
    const stopped = new AbortController();
    const stop = () => {
      stopped.abort();
      // a later reader may have taken its place
      if (readers.get(key) === reader) readers.delete(key);
    };
    const reader: Reader = { reads: new EventEmitter().setMaxListeners(0), latest: undefined, watchers: 0, stop };
    readers.set(key, reader);
    const read = () => readState(exports, job, stopped.signal);
    void readChanges(reader, read, exportChanges.subscribe(job.id, stopped.signal, filter)).finally(stop);
    return reader;
  };

  return {
    async *watch(job, signal, filter) {
      const key = `${job.id} ${filter}`;
      const reader = readers.get(key) ?? startReader(key, job, filter);
      reader.watchers++;
      try {
        yield* readsOf(reader, signal);
      } finally {
        reader.watchers--;
        if (reader.watchers === 0) reader.stop();
      }
    },
  };
}

/** Resolves when the export has ended, is gone, or cannot be read. */
async function readChanges(
  reader: Reader,
  read: () => ReturnType<typeof readState>,
  changes: AsyncIterable<void>,
): Promise<void> {
  const publish = (read: Read) => {
    reader.latest = read;
    reader.reads.emit("read");
  };
  try {
    let revision = -1;
    for await (const _ of changes) {
      const state = await read();
      if (state === "unknown" || state?.revision === revision) continue;
      publish({ state });
      if (!state || hasEnded(state)) return;
      revision = state.revision;
    }
  } catch (error) {
    publish({ error });
  }
}

const retryMs = 2_000;

/** While the database does not respond, reads again until the export has expired. "unknown" if `signal` aborts. */
async function readState(exports: Exports, { id, userId, expiresAt }: Watched, signal: AbortSignal) {
  while (!signal.aborted) {
    try {
      return await exports.findState(userId, id);
    } catch (error) {
      if (!isUnavailable(error) || Date.now() >= expiresAt) throw error;
    }
    await sleep(retryMs, undefined, { signal }).catch(() => {});
  }
  return "unknown" as const;
}

/** The latest read and each later one. Throws the error of a read that failed. */
async function* readsOf(reader: Reader, signal: AbortSignal): AsyncGenerator<ExportState | undefined> {
  let seen: Read | undefined;
  while (!signal.aborted) {
    const { latest } = reader;
    if (latest === undefined || latest === seen) {
      await once(reader.reads, "read", { signal }).catch(() => {});
      continue;
    }
    seen = latest;
    if ("error" in latest) throw latest.error;
    yield latest.state;
    if (!latest.state || hasEnded(latest.state)) return;
  }
}
