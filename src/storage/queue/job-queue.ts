import { setTimeout as sleep } from "node:timers/promises";
import { type SQL, sql } from "drizzle-orm";
import { fromDrizzle, fromPglite, PgBoss } from "pg-boss";
import { linkSignal } from "../../platform/async.ts";
import type { LeasePorts } from "../../platform/leases.ts";
import { currentOrigin } from "../../platform/tracing.ts";
import type { Database, QueueConnection } from "../database/database.ts";
import { elapses } from "../database/probe.ts";
import type { QueueDatabase } from "../database/server.ts";
import { type AllQueueRules, jobOptions, type QueueName } from "./rules.ts";
import { type JobData, type JobHandler, type RunningJobs, startWorkers } from "./worker.ts";

export type JobQueues = {
  /** Call before `ready`. A process without a handler for a queue takes none of its jobs. */
  registerHandler(name: QueueName, handler: JobHandler): void;
  /** Receives errors of the open queues, such as a lost database; every failed operation is retried. */
  onError(report: (error: unknown) => void): void;
  /** Opens the queues. Call before a transaction that sends: the embedded database has a single connection. */
  ready(): Promise<void>;
  /** Opens the queues, and retries until that succeeds or the process stops. */
  start(): Promise<void>;
  /** Throws if the queues could not be opened. */
  check(): void;
  /** Enqueues a job inside the caller's transaction: the job exists if and only if the transaction commits. */
  send(name: QueueName, transaction: Database, data: string, turn: Turn): Promise<void>;
  /** Aborts the jobs that run here; another process or the next start retries them. */
  stop(): Promise<void>;
};

/** A worker without a heartbeat for this long is considered dead, and its job is retried. */
const heartbeatSeconds = 10;

/** The delay before queues are opened again after a failure; doubles with each attempt. */
const minRestartMs = 250;
const maxRestartMs = 5_000;

/** Each worker fails at each poll while the database is unreachable: one report per period is enough. */
const errorReportMs = 10_000;

type Handlers = ReadonlyMap<QueueName, JobHandler>;

type OpenOptions = {
  readonly handlers: Handlers;
  readonly slots: LeasePorts | undefined;
  readonly reportError: (error: unknown) => void;
  /** Aborts when this process stops. */
  readonly signal: AbortSignal;
};

/** `slots` limit the jobs of groups if several processes take jobs. */
export function jobQueues(connection: QueueConnection, rules: AllQueueRules, slots?: LeasePorts): JobQueues {
  const handlers = new Map<QueueName, JobHandler>();
  const stopping = new AbortController();
  let report: OpenOptions["reportError"] = () => {};
  const reportError = atMostEvery(errorReportMs, (error) => report(error));
  let opening: Promise<PgBoss> | undefined;
  let failure: { readonly error: unknown } | undefined;
  const opened = () => {
    opening ??= open(connection, rules, { handlers, slots, reportError, signal: stopping.signal });
    // the caller receives the failure; the next call opens them again
    opening.then(
      () => {
        failure = undefined;
      },
      (error) => {
        failure = { error };
        opening = undefined;
      },
    );
    return opening;
  };

  return {
    registerHandler(name, handler) {
      handlers.set(name, async (data, signal) => {
        const stopped = linkSignal(stopping.signal);
        await handler(data, AbortSignal.any([signal, stopped.signal])).finally(stopped.release);
      });
    },

    onError(listener) {
      report = listener;
    },

    ready: async () => void (await opened()),

    async start() {
      let delayMs = minRestartMs;
      while (!stopping.signal.aborted) {
        try {
          return void (await opened());
        } catch (error) {
          reportError(error);
        }
        await sleep(delayMs, undefined, { signal: stopping.signal }).catch(() => {});
        delayMs = Math.min(2 * delayMs, maxRestartMs);
      }
    },

    check() {
      if (failure) throw failure.error;
    },

    async send(name, transaction, data, { group, unfinished }) {
      const boss = await opened();
      const count = unfinished ?? (await countUnfinished(transaction, name, group));
      const db = fromDrizzle(drizzleExecutor(transaction), sql);
      const turn = { group: { id: group }, priority: priorityOf(count, Date.now()) };
      await boss.send(name, { data, origin: currentOrigin() } satisfies JobData, {
        db,
        ...turn,
        ...jobOptions(rules[name]),
      });
    },

    async stop() {
      stopping.abort(new Error("The service stops."));
      const boss = await opening?.catch(() => undefined);
      await boss?.stop({ graceful: true, timeout: 3_000 });
    },
  };
}

/** Further unfinished jobs of a group make no difference. */
const maxCounted = 1_000;

async function countUnfinished(transaction: Database, name: QueueName, group: string): Promise<number> {
  const jobs = sql`select from pgboss.job where name = ${name} and group_id = ${group} and state < 'completed' limit ${maxCounted}`;
  const result = await transaction.execute(sql`select count(*)::int as count from (${jobs}) as jobs`);
  // safe because the query selects this column, and every driver returns rows
  return (result as unknown as { rows: [{ count: number }] }).rows[0].count;
}

/** Adapts the transaction to pg-boss. */
const drizzleExecutor = (transaction: Database) => ({
  // safe because pg-boss passes a query of Drizzle's own `sql`, and every driver returns rows
  execute: async (query: unknown) => (await transaction.execute(query as SQL)) as { rows: unknown[] },
});

/** Calls `report` for the first error of each period. */
function atMostEvery(periodMs: number, report: OpenOptions["reportError"]): OpenOptions["reportError"] {
  let reportedAt = Number.NEGATIVE_INFINITY;
  return (error) => {
    if (performance.now() - reportedAt < periodMs) return;
    reportedAt = performance.now();
    report(error);
  };
}

/** Only the process whose turn it is does anything then, except for five small queries of each. */
const superviseSeconds = 60;

/** Ended jobs are removed at this interval. */
const maintenanceSeconds = 600;

async function open(connection: QueueConnection, rules: AllQueueRules, options: OpenOptions): Promise<PgBoss> {
  const boss = new PgBoss({
    ...databaseOptions(connection),
    useListenNotify: true,
    schedule: false,
    superviseIntervalSeconds: superviseSeconds,
    monitorIntervalSeconds: superviseSeconds,
    maintenanceIntervalSeconds: maintenanceSeconds,
    // for jobs that depend on others, which do not occur
    flowIntervalSeconds: 3600,
  });
  // an error event without a listener ends the process
  boss.on("error", options.reportError);
  const running: RunningByQueue = new Map();
  const isBusy = (queue: string) => (running.get(queue)?.count() ?? 0) > 0;
  // safe because only these queues exist, and any other name gives no rules
  yieldNotifications(boss.getDb(), (queue) => (isBusy(queue) ? (rules[queue as QueueName]?.yieldMs ?? 0) : 0));
  try {
    await boss.start();
    await boss.getDb().executeSql(indexOfGroups);
    await openQueues(boss, connection, rules, { ...options, running });
    void watchDueJobs(boss, rules, { ...options, running });
    return boss;
  } catch (error) {
    // the next call opens another instance: this one would keep its connections, timers and workers
    await boss.stop({ graceful: false }).catch(options.reportError);
    throw error;
  }
}

async function openQueues(
  boss: PgBoss,
  connection: QueueConnection,
  rules: AllQueueRules,
  { handlers, slots, signal, running }: Omit<OpenOptions, "reportError"> & { readonly running: RunningByQueue },
) {
  // safe because the keys of such a record are queue names
  for (const name of Object.keys(rules) as QueueName[]) {
    await boss.createQueue(name, { notify: true, heartbeatSeconds });
    if ("embedded" in connection) await requeueAbandoned(boss, name);
    const handler = handlers.get(name);
    if (handler) running.set(name, await startWorkers(boss, name, { rules: rules[name], handler, slots, signal }));
  }
}

/**
 * A user's jobs are removed with the account, but pg-boss has an index of active jobs only. Two processes that start
 * together do not both create it, and no start locks the table if the index exists.
 */
export const indexOfGroups = `do $$ begin
  perform pg_advisory_xact_lock(hashtextextended('job_group_index', 0));
  if to_regclass('pgboss.job_group_index') is null then
    create index job_group_index on pgboss.job (group_id) where group_id is not null;
  end if;
end $$`;

const databaseOptions = (connection: QueueConnection) =>
  "embedded" in connection
    ? { db: fromPglite(connection.embedded), backend: "pglite" as const }
    : { db: fromServer(connection.server) };

/** pg-boss shares the service's connections, so that a process has few. */
const fromServer = ({ query, listen }: QueueDatabase): ReturnType<PgBoss["getDb"]> => ({
  executeSql: query,
  async listen(channel, onNotification, onReconnect) {
    await listen(channel, onNotification, onReconnect);
    // the database ends the subscription
    return { close: async () => {} };
  },
});

/** Makes pg-boss retry active jobs: this process has just opened the database, so no worker runs them. */
async function requeueAbandoned(boss: PgBoss, name: QueueName): Promise<void> {
  const abandoned = (await boss.findJobs(name)).filter(({ state }) => state === "active");
  for (const { id } of abandoned) await boss.fail(name, id);
}

/** Determines when a waiting job runs. */
type Turn = {
  /** Jobs of one group share its concurrency: a user id. */
  readonly group: string;
  /** Unfinished jobs of the group in this queue; counted if absent. */
  readonly unfinished?: number;
};

const minute = 60_000;

/**
 * The job with the highest priority runs first, the older of two equals. Each unfinished job of the group weighs as
 * much as a minute of waiting: a group's first job passes the backlogs of others, and no backlog waits for ever.
 */
export const priorityOf = (unfinished: number, now: number): number => -(Math.floor(now / minute) + unfinished);

/** The queues with workers in this process, with their running jobs. */
type RunningByQueue = Map<string, RunningJobs>;

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
async function watchDueJobs(boss: PgBoss, rules: AllQueueRules, options: WatchOptions): Promise<void> {
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

/**
 * Lets other processes take new jobs first: delays a queue's notifications by `delayOf`, in milliseconds. pg-boss wakes
 * its workers at every notification, even in busy processes.
 */
export function yieldNotifications(db: ReturnType<PgBoss["getDb"]>, delayOf: (queue: string) => number): void {
  const listen = db.listen?.bind(db);
  if (!listen) return;
  db.listen = (channel, onNotification, onReconnect) => {
    const onDelayed = (queue: string) => {
      const delayMs = delayOf(queue);
      if (delayMs > 0) setTimeout(onNotification, delayMs, queue);
      else onNotification(queue);
    };
    return listen(channel, onDelayed, onReconnect);
  };
}
