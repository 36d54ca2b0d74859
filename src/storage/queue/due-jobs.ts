import type { PgBoss } from "pg-boss";
import { elapses } from "../database/probe.ts";
import type { AllQueueRules, QueueName } from "./rules.ts";
import type { RunningJobs } from "./worker.ts";

/** The queues with workers in this process, with their running jobs. */
export type RunningByQueue = Map<string, RunningJobs>;

type WatchOptions = {
  readonly running: RunningByQueue;
  readonly reportError: (error: unknown) => void;
  readonly signal: AbortSignal;
};

/**
 * Wakes workers for jobs without notification: those that became due, whose process died, or that a group's limit held
 * back. One query for all queues, where pg-boss needs one per worker and nine for dead jobs. Resolves when `signal`
 * aborts.
 */
export async function watchDueJobs(boss: PgBoss, rules: AllQueueRules, options: WatchOptions): Promise<void> {
  const { running, reportError, signal } = options;
  // safe because the keys are queue names
  const names = [...running.keys()] as QueueName[];
  if (names.length === 0) return;
  const everyMs = 1000 * Math.min(...names.map((name) => rules[name].pollingSeconds));
  while (await elapses(everyMs, signal)) {
    await wakeForDueJobs(boss, names, running).catch((error) => signal.aborted || reportError(error));
  }
}

async function wakeForDueJobs(boss: PgBoss, names: readonly QueueName[], running: RunningByQueue): Promise<void> {
  const { rows } = await boss.getDb().executeSql(dueJobs, [names]);
  for (const { name, isDue, isAbandoned } of rows) {
    if (isAbandoned) await retryAbandoned(boss, name);
    if (isDue || isAbandoned) running.get(name)?.wake();
  }
}

const dueJobs = `select name, exists (
    select from pgboss.job where job.name = queue.name and state < 'active' and not blocked and start_after <= now()
  ) as "isDue", exists (
    select from pgboss.job where job.name = queue.name and state = 'active' and group_id is not null
      and heartbeat_on + heartbeat_seconds * interval '1 s' < now()
  ) as "isAbandoned" from pgboss.queue where name = any($1::text[])`;

/** Lets one process find jobs without a heartbeat now: pg-boss does so once a minute, and counts all jobs. */
async function retryAbandoned(boss: PgBoss, name: string): Promise<void> {
  const claim = `update pgboss.queue set monitor_claim_on = now() - interval '1 day'
    where name = $1 and coalesce(monitor_claim_on, 'epoch') < now() - interval '1 s' returning name`;
  const { rows } = await boss.getDb().executeSql(claim, [name]);
  if (rows.length > 0) await boss.supervise(name);
}
