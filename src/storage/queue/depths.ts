import { type SQL, sql } from "drizzle-orm";
import type { QueueDepth, StatusCount } from "../../domain/telemetry/telemetry.ts";
import type { Database } from "../database/database.ts";
import { withDatabaseTimeout } from "../database/errors.ts";
import { batches, isUnfinished as isBatchUnfinished } from "../tables/batches.ts";
import { films, isUnfinished as isFilmUnfinished } from "../tables/films.ts";

const timeoutMs = 1_000;

/** Counts the jobs of all queues by partial indexes. Rejects within a second if the database does not respond. */
export const queueDepths = (db: Database): (() => Promise<readonly QueueDepth[]>) =>
  withDatabaseTimeout({ read: () => readDepths(db) }, timeoutMs).read;

async function readDepths(db: Database): Promise<readonly QueueDepth[]> {
  const result = await db.execute(sql`
    select queue.name as queue, coalesce(waiting, 0)::int as waiting, coalesce(delayed, 0)::int as delayed,
      coalesce(active, 0)::int as active, coalesce(oldest, 0)::float as "oldestWaitingSeconds"
    from pgboss.queue
    left join (
      select name, count(*) filter (where start_after <= now()) as waiting,
        count(*) filter (where start_after > now()) as delayed,
        extract(epoch from now() - min(greatest(created_on, start_after)) filter (where start_after <= now())) as oldest
      from pgboss.job where state < 'active' and not blocked group by name
    ) as queued on queued.name = queue.name
    left join (
      select name, count(*) as active from pgboss.job where state = 'active' and group_id is not null group by name
    ) as running on running.name = queue.name
    where queue.name not like '\\_\\_%'`);
  // safe because the query selects these columns, and every driver returns rows
  return (result as unknown as { rows: QueueDepth[] }).rows;
}

/** Counts unfinished films by a partial index, as fast as `queueDepths`. */
export const filmCounts = (db: Database) => unfinishedCounts(db, films, isFilmUnfinished);

export const batchCounts = (db: Database) => unfinishedCounts(db, batches, isBatchUnfinished);

function unfinishedCounts(db: Database, table: typeof films | typeof batches, isUnfinished: SQL) {
  const { status, waitingFor } = table;
  const columns = { status: sql<string>`${status}`, waitingFor: sql<string | null>`${waitingFor}` };
  const read = (): Promise<readonly StatusCount[]> =>
    db
      .select({ ...columns, count: sql<number>`count(*)::int` })
      .from(table as typeof films) // safe because both have these columns
      .where(isUnfinished)
      .groupBy(status, waitingFor);
  return withDatabaseTimeout({ read }, timeoutMs).read;
}
