import { setTimeout as sleep } from "node:timers/promises";
import type { ClientBase, QueryConfig } from "pg";

/** How long a server may be silent. A connection that exceeds a time is closed and never used again. */
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

export const serverTimings: ServerTimings = { connectMs: 3_000, queryMs: 5_500, probeEveryMs: 1_000, probeMs: 1_000 };

export type ServerConnection = { readonly databaseUrl: string; readonly timings: ServerTimings };

/** Rejects if the server does not answer: a connection that it has forgotten stays open for hours otherwise. */
export async function probe(client: ClientBase, { probeMs }: ServerTimings): Promise<void> {
  const query: QueryConfig & { query_timeout: number } = { text: "select 1", query_timeout: probeMs };
  await client.query(query);
}

/** True after this time, false as soon as `signal` aborts. Does not keep the process running. */
export const elapses = (milliseconds: number, signal: AbortSignal): Promise<boolean> =>
  sleep(milliseconds, true, { signal, ref: false }).catch(() => false);
