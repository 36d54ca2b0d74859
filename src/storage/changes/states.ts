import { EventEmitter, once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { type Batch, type BatchStore, hasEnded as batchHasEnded } from "../../domain/batches/batch.ts";
import type { BatchState, BatchStates } from "../../domain/batches/states.ts";
import {
  type ExportState,
  type ExportStates,
  type ExportStore,
  hasEnded as exportHasEnded,
} from "../../domain/exports/lifecycle/jobs.ts";
import { type Film, type FilmStore, hasEnded as filmHasEnded } from "../../domain/films/film.ts";
import type { FilmState, FilmStates } from "../../domain/films/states.ts";
import type { LedgerStore } from "../../domain/ledger/ledger.ts";
import type { ChangeFilter, Changes, States } from "../../domain/shared/changes.ts";
import { isUnavailable } from "../../errors.ts";

export const exportStates = (exports: Pick<ExportStore, "findState">, changes: Changes): ExportStates =>
  watchedStates<Pick<ExportState, "id" | "userId" | "expiresAt">, ExportState>(
    {
      find: ({ userId, id }) => exports.findState(userId, id),
      hasEnded: exportHasEnded,
      isExpired: ({ expiresAt }) => Date.now() >= expiresAt,
    },
    changes,
  );

type FilmReads = { readonly films: Pick<FilmStore, "find">; readonly ledger: Pick<LedgerStore, "filmSpend"> };

export const filmStates = ({ films, ledger }: FilmReads, changes: Changes): FilmStates =>
  watchedStates<Pick<Film, "id" | "projectId">, FilmState>(
    {
      async find({ projectId, id }) {
        const film = await films.find(projectId, id);
        return film && { ...film, spend: await ledger.filmSpend(id) };
      },
      hasEnded: filmHasEnded,
    },
    changes,
  );

type BatchReads = {
  readonly batches: Pick<BatchStore, "find" | "counts">;
  readonly ledger: Pick<LedgerStore, "spendOf">;
};

export const batchStates = ({ batches, ledger }: BatchReads, changes: Changes): BatchStates =>
  watchedStates<Pick<Batch, "id" | "projectId">, BatchState>(
    {
      async find({ projectId, id }) {
        const batch = await batches.find(projectId, id);
        if (!batch) return undefined;
        const [counts, spend] = await Promise.all([batches.counts([id]), ledger.spendOf("batch", [id])]);
        return { ...batch, counts: counts.get(id), spend: spend.get(id) };
      },
      hasEnded: batchHasEnded,
    },
    changes,
  );

type StateReads<Watched, State> = {
  find(watched: Watched): Promise<State | undefined>;
  hasEnded(state: State): boolean;
  /** From then on, an unresponsive database is no longer waited for. */
  isExpired?(watched: Watched): boolean;
};

/** The result of the last read: `state` is undefined if it no longer exists. */
type Read<State> = { readonly state: State | undefined } | { readonly error: unknown };

/** Reads one state after each change, for all its watchers. */
type Reader<State> = {
  readonly reads: EventEmitter;
  latest: Read<State> | undefined;
  watchers: number;
  stop(): void;
};

/** Watches states with one subscription and one query per change, whatever the number of watchers in this process. */
function watchedStates<Watched extends { readonly id: string }, State extends { readonly revision: number }>(
  stateReads: StateReads<Watched, State>,
  changes: Changes,
): States<Watched, State> {
  const { hasEnded } = stateReads;
  const readers = new Map<string, Reader<State>>();

  const startReader = (key: string, watched: Watched, filter: ChangeFilter): Reader<State> => {
    const stopped = new AbortController();
    const stop = () => {
      stopped.abort();
      // a later reader may have replaced it
      if (readers.get(key) === reader) readers.delete(key);
    };
    const reader: Reader<State> = {
      reads: new EventEmitter().setMaxListeners(0),
      latest: undefined,
      watchers: 0,
      stop,
    };
    readers.set(key, reader);
    const read = () => readState(stateReads, watched, stopped.signal);
    void readChanges(reader, { read, hasEnded }, changes.subscribe(watched.id, stopped.signal, filter)).finally(stop);
    return reader;
  };

  return {
    async *watch(watched, signal, filter) {
      const key = `${watched.id} ${filter}`;
      const reader = readers.get(key) ?? startReader(key, watched, filter);
      reader.watchers++;
      try {
        yield* readsOf(reader, hasEnded, signal);
      } finally {
        reader.watchers--;
        if (reader.watchers === 0) reader.stop();
      }
    },
  };
}

type Reading<State> = {
  read(): Promise<State | undefined | "unknown">;
  hasEnded(state: State): boolean;
};

/** Resolves when the state is final, removed or unreadable. */
async function readChanges<State extends { readonly revision: number }>(
  reader: Reader<State>,
  { read, hasEnded }: Reading<State>,
  changes: AsyncIterable<void>,
): Promise<void> {
  const publish = (read: Read<State>) => {
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

/** Retries while the database does not respond, until the watched state has expired. "unknown" if `signal` aborts. */
async function readState<Watched, State>(
  { find, isExpired = () => false }: StateReads<Watched, State>,
  watched: Watched,
  signal: AbortSignal,
) {
  while (!signal.aborted) {
    try {
      return await find(watched);
    } catch (error) {
      if (!isUnavailable(error) || isExpired(watched)) throw error;
    }
    await sleep(retryMs, undefined, { signal }).catch(() => {});
  }
  return "unknown" as const;
}

/** Yields the latest read and each later one. Throws the error of a failed read. */
async function* readsOf<State>(
  reader: Reader<State>,
  hasEnded: (state: State) => boolean,
  signal: AbortSignal,
): AsyncGenerator<State | undefined> {
  let seen: Read<State> | undefined;
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
