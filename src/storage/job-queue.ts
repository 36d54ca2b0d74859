import type { PGlite } from "@electric-sql/pglite";
import { type SQL, sql } from "drizzle-orm";
import { fromDrizzle, fromPglite, PgBoss } from "pg-boss";
import type { Database } from "./database.ts";

/** Where pg-boss keeps its tables: in the embedded database, or on the server through connections of its own. */
export type QueueSource = { readonly embedded: PGlite } | { readonly databaseUrl: string };

/** Does one piece of work; `signal` aborts when this process stops, or is taken for dead. */
export type Handler = (data: string, signal: AbortSignal) => Promise<void>;

export type QueueRules = {
  readonly name: string;
  /** Pieces of work at a time, in this process. */
  readonly atOnce: number;
  /** Of them, those of one group, over all processes. */
  readonly atOncePerGroup: number;
};

export type JobQueue = {
  /** Says who does the work that this process takes. Without it, it takes none. */
  serve(handler: Handler): void;
  /** Opens the queue; before any transaction that sends, because the embedded database does one thing at a time. */
  ready(): Promise<void>;
  /** Inside the caller's transaction: the work is there if and only if that commits. */
  send(transaction: Database, data: string, group: string): Promise<void>;
  /** Aborts what runs here; others go on with it, or the next start does. */
  stop(): Promise<void>;
};

/** A worker that says nothing for so long is dead, and its work goes to another. */
const heartbeatSeconds = 10;
const supervisedEverySeconds = 2;

/** A piece of work that killed its worker so often is not tried again. */
const mostTries = 5;

export function jobQueue(source: QueueSource, rules: QueueRules): JobQueue {
  let opening: Promise<PgBoss> | undefined;
  let served: Handler | undefined;
  const opened = () => {
    opening ??= open(
      source,
      rules,
      served && ((data, signal) => served!(data, AbortSignal.any([signal, stopping.signal]))),
    );
    // a failure is the caller's to tell; the next one tries anew
    opening.catch(() => {
      opening = undefined;
    });
    return opening;
  };
  const stopping = new AbortController();

  return {
    serve(handler) {
      served = handler;
    },

    ready: async () => void (await opened()),

    async send(transaction, data, group) {
      const boss = await opened();
      await boss.send(rules.name, { data }, { db: fromDrizzle(executing(transaction), sql), group: { id: group } });
    },

    async stop() {
      stopping.abort(new Error("The service stops."));
      const boss = await opening?.catch(() => undefined);
      await boss?.stop({ graceful: true, timeout: 3_000 });
    },
  };
}

/** What pg-boss wants of a transaction, in its own words. */
const executing = (transaction: Database) => ({
  // safe because it sends what Drizzle's own `sql` made, and every driver answers rows
  execute: async (query: unknown) => (await transaction.execute(query as SQL)) as { rows: unknown[] },
});

async function open(
  source: QueueSource,
  { name, atOnce, atOncePerGroup }: QueueRules,
  handler?: Handler,
): Promise<PgBoss> {
  const place =
    "embedded" in source
      ? { db: fromPglite(source.embedded), backend: "pglite" as const }
      : { connectionString: source.databaseUrl, max: 3, application_name: "reelwright-queue" };
  const boss = new PgBoss({
    ...place,
    ...{ useListenNotify: true, schedule: false },
    ...{ superviseIntervalSeconds: supervisedEverySeconds, monitorIntervalSeconds: supervisedEverySeconds },
  });
  // an error without a listener would end the process; what fails is tried again by pg-boss itself
  boss.on("error", () => {});
  await boss.start();
  await boss.createQueue(name, {
    ...{ notify: true, heartbeatSeconds, retryLimit: mostTries, retryDelay: 0 },
    // the longest film on a slow machine
    ...{ expireInSeconds: 23 * 3600, deleteAfterSeconds: 3600 },
  });
  const options = { localConcurrency: atOnce, groupConcurrency: atOncePerGroup, notifyPollingIntervalSeconds: 2 };
  if (handler) {
    await boss.work<{ data: string }>(name, options, async ([job]) => {
      if (job) await handler(job.data.data, job.signal);
    });
  }
  return boss;
}
