import { drizzle } from "drizzle-orm/node-postgres";
import pg from "pg";
import type { TraceQuery } from "../../platform/tracing.ts";
import { isOutage } from "./errors.ts";
import { type Listen, serverListener } from "./listener.ts";
import { elapses, listenerName, probe, type ServerConnection, type ServerTimings } from "./probe.ts";

const statementMs = 5_000;
const maxLifetimeSeconds = 30 * 60;
const closeMs = 2_000;

/** Idle connections that stay open. Others are closed after ten seconds, before a network forgets them. */
const idleConnections = 1;

/** The pool of a server. Without values, a query may have several statements. */
export type QueueDatabase = {
  readonly query: (text: string, values?: unknown[]) => Promise<{ rows: unknown[] }>;
  readonly listen: Listen;
};

/** Connects to a server that may freeze, be replaced or be unreachable: works as soon as the server does. */
export function serverDatabase({ databaseUrl, poolSize, timings }: ServerConnection, trace?: TraceQuery) {
  const options = {
    connectionString: databaseUrl,
    connectionTimeoutMillis: timings.connectMs,
    query_timeout: timings.queryMs,
    keepAlive: true,
    application_name: "reelwright",
    statement_timeout: statementMs,
    idle_in_transaction_session_timeout: 2 * statementMs,
  };
  const pool = new pg.Pool({ ...options, max: poolSize, min: idleConnections, maxLifetimeSeconds });
  // an error event without a listener ends the process; the query in progress reports the error
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  const closed = new AbortController();
  void probeIdleConnections(pool, timings, closed.signal);
  const query = pool.query.bind(pool) as QueueDatabase["query"];

  if (trace) traceQueries(pool, trace);
  const db = drizzle(pool, { casing: "snake_case" });
  db.transaction = async (work, config) => {
    const client = await pool.connect();
    let isLost = false;
    try {
      return await drizzle(trace ? tracedClient(client, trace) : client, { casing: "snake_case" }).transaction(
        work,
        config,
      );
    } catch (error) {
      // after any other error, the rollback has succeeded
      isLost = isOutage(error);
      throw error;
    } finally {
      client.release(isLost);
    }
  };

  const openClient = () => new pg.Client({ ...options, application_name: listenerName });
  const listen = serverListener({ openClient, timings, signal: closed.signal });
  return {
    db,
    listen,
    connections: () => ({
      used: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
      limit: poolSize,
    }),
    /** Not traced. */
    queueConnection: { query, listen } satisfies QueueDatabase,
    close: async () => {
      closed.abort();
      await Promise.race([pool.end(), Bun.sleep(closeMs)]);
    },
  };
}

type Queried = Pick<pg.Pool, "query">;
type Query = string | { readonly text: string };

function traceQueries(queried: Queried, trace: TraceQuery): void {
  const query = queried.query.bind(queried) as (query: Query, ...rest: unknown[]) => Promise<unknown>;
  const traced: typeof query = (text, ...rest) =>
    trace(typeof text === "string" ? text : text.text, () => query(text, ...rest));
  // safe because Drizzle passes no callbacks
  queried.query = traced as Queried["query"];
}

/** Drizzle calls no other method of a client; the client itself returns to the pool unchanged. */
function tracedClient(client: pg.PoolClient, trace: TraceQuery): pg.PoolClient {
  const traced = { query: client.query.bind(client) };
  traceQueries(traced as Queried, trace);
  return traced as pg.PoolClient;
}

/**
 * Closes connections that the server has forgotten before a query uses them: probes one if none has answered since the
 * last time, and all idle ones if it fails. Resolves when `signal` aborts.
 */
async function probeIdleConnections(pool: pg.Pool, timings: ServerTimings, signal: AbortSignal): Promise<void> {
  let hasAnswered = false;
  pool.on("release", (error) => {
    hasAnswered ||= !error;
  });
  while (await elapses(timings.probeEveryMs, signal)) {
    if (!hasAnswered && pool.idleCount > 0 && !(await answers(pool, timings))) {
      await Promise.all(Array.from({ length: pool.idleCount }, () => answers(pool, timings)));
    }
    hasAnswered = false;
  }
}

/** Probes the most recently used idle connection, and closes it if it does not answer. */
async function answers(pool: pg.Pool, timings: ServerTimings): Promise<boolean> {
  const client = await pool.connect().catch(() => undefined);
  if (!client) return false;
  const error = await probe(client, timings).then(
    () => undefined,
    (failure) => failure,
  );
  client.release(error);
  return error === undefined;
}
