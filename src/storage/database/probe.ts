import { setTimeout as sleep } from "node:timers/promises";
import type { ClientBase, QueryConfig } from "pg";

/** How long a server may be silent. A connection that exceeds a time is closed and never reused. */
export type ServerTimings = {
  /** To open a connection, or to wait for a free one. */
  readonly connectMs: number;
  /** To answer one query; the server itself cancels a statement earlier. */
  readonly queryMs: number;
  /** Between two probes of an idle connection. */
  readonly probeEveryMs: number;
  /** To answer a probe. */
  readonly probeMs: number;
};

export const serverTimings: ServerTimings = { connectMs: 3_000, queryMs: 5_500, probeEveryMs: 2_000, probeMs: 1_000 };

/** Applies unless `DATABASE_POOL_SIZE` is set. */
export const defaultPoolSize = 10;

/** The most connections of a process: its pool, and one for notifications. */
export const connectionsOf = (poolSize: number = defaultPoolSize): number => poolSize + 1;

/** The application name of each process's connection for notifications. */
export const listenerName = "reelwright-listener";

export type ServerConnection = {
  readonly databaseUrl: string;
  /** The most connections, in addition to the one for notifications. */
  readonly poolSize: number;
  readonly timings: ServerTimings;
};

/** Rejects if the server does not answer: otherwise a connection that it has forgotten stays open for hours. */
export async function probe(client: ClientBase, { probeMs }: ServerTimings): Promise<void> {
  const query: QueryConfig & { query_timeout: number } = { text: "select 1", query_timeout: probeMs };
  await client.query(query);
}

/** True after this time, false as soon as `signal` aborts. Does not keep the process running. */
export const elapses = (milliseconds: number, signal: AbortSignal): Promise<boolean> =>
  sleep(milliseconds, true, { signal, ref: false }).catch(() => false);
