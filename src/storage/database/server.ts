import { drizzle } from "drizzle-orm/node-postgres";
import pg from "pg";
import type { TraceQuery } from "../../domain/telemetry/tracing.ts";
import { isOutage } from "./errors.ts";
import { listenOnServer } from "./listener.ts";
import { elapses, probe, type ServerConnection, type ServerTimings } from "./probe.ts";

const statementMs = 5_000;
const maxConnections = 10;
const maxLifetimeSeconds = 30 * 60;
const closeMs = 2_000;

/** Options for a pool or a client of `pg`. */
export const connectionOptions = ({ databaseUrl, timings: { connectMs, queryMs } }: ServerConnection) => ({
  connectionString: databaseUrl,
  connectionTimeoutMillis: connectMs,
  query_timeout: queryMs,
  keepAlive: true,
});

/** Connects to a server that may be frozen, replaced or away for a while: it works again as soon as the server does. */
export function serverDatabase(connection: ServerConnection, trace?: TraceQuery) {
  const { timings } = connection;
  const options = {
    ...connectionOptions(connection),
    application_name: "reelwright",
    statement_timeout: statementMs,
    idle_in_transaction_session_timeout: 2 * statementMs,
  };
  const pool = new pg.Pool({ ...options, max: maxConnections, maxLifetimeSeconds });
  // an error event without a listener ends the process; the query in progress reports the error
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  const closed = new AbortController();
  void probeIdleConnections(pool, timings, closed.signal);

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

  const openClient = () => new pg.Client(options);
  return {
    db,
    listen: (channel: string, onMessage: (message: string) => void, onResumed: () => void = () => {}) =>
      listenOnServer({ openClient, channel, onMessage, onResumed, timings, signal: closed.signal }),
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

/** Drizzle calls no other method of a client; the client itself goes back to the pool as it was. */
function tracedClient(client: pg.PoolClient, trace: TraceQuery): pg.PoolClient {
  const traced = { query: client.query.bind(client) };
  traceQueries(traced as Queried, trace);
  return traced as pg.PoolClient;
}

/** Closes connections that the server has forgotten before a query uses them. Resolves when `signal` aborts. */
async function probeIdleConnections(pool: pg.Pool, timings: ServerTimings, signal: AbortSignal): Promise<void> {
  while (await elapses(timings.probeEveryMs, signal)) {
    await Promise.allSettled(Array.from({ length: pool.idleCount }, () => probeOne(pool, timings)));
  }
}

async function probeOne(pool: pg.Pool, timings: ServerTimings): Promise<void> {
  const client = await pool.connect();
  await probe(client, timings).then(
    () => client.release(),
    (error) => client.release(error),
  );
}
