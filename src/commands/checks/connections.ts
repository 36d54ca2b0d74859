import { type SQL, sql } from "drizzle-orm";
import { connectionsOf, listenerName } from "../../storage/database/probe.ts";
import { type Finding, ok, warning } from "./check.ts";

type Connection = { execute(query: SQL): Promise<unknown> };

type Room = { readonly processes: number; readonly free: number };

/** Compares the connections that running processes may open with the number that the server has free. */
export async function connectionsFinding(db: Connection, poolSize?: number): Promise<Finding> {
  const each = connectionsOf(poolSize);
  const result = await db.execute(sql`select count(*) filter (where is_own and application_name = ${listenerName})::int
      as processes,
    current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
      - count(*) filter (where pid <> pg_backend_pid() and not is_own)::int as free
    from (select *, datname = current_database() and application_name like 'reelwright%' as is_own
      from pg_stat_activity where backend_type = 'client backend') as client`);
  // safe because both drivers return the rows of a query under this name, and this one returns one
  const [{ processes, free }] = (result as { rows: [Room] }).rows;
  const possible = Math.floor(free / each);
  const sentence = `${free} connections are free for the service: ${possible} processes with up to ${each} each`;
  if (Math.max(1, processes) <= possible) return ok(`${sentence}; ${processes} run now.`);
  return warning(
    `${sentence}, but ${Math.max(1, processes)} run.`,
    "Raise max_connections, or lower DATABASE_POOL_SIZE.",
  );
}
