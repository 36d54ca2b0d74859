import { sql } from "drizzle-orm";
import type { QueueDepth } from "../../domain/telemetry/counts.ts";
import type { Database } from "../database/database.ts";
import { withDatabaseTimeout } from "../database/errors.ts";

const timeoutMs = 1_000;

/** Counts the jobs of all queues by partial indexes. Rejects within a second if the database does not answer. */
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
