import { createHash } from "node:crypto";
import type { PGlite } from "@electric-sql/pglite";
import { type SQL, sql } from "drizzle-orm";
import { fromDrizzle, fromPglite, type Job, PgBoss } from "pg-boss";
import { RetryAfterError } from "../../platform/retry-after.ts";
import type { Database } from "./database.ts";

/** Where pg-boss keeps its tables: in the embedded database, or on the server through connections of its own. */
export type QueueSource = { readonly embedded: PGlite } | { readonly databaseUrl: string };

/**
 * Does one piece of work; `signal` aborts when this process stops, or is taken for dead. What throws is tried again, of
 * TryLater not before its time.
 */
export type Handler = (data: string, signal: AbortSignal) => Promise<void>;

export type QueueName = "exports" | "webhooks";

export type QueueRules = {
  /** Pieces of work at a time, in this process. */
  readonly atOnce: number;
  /** Of them, those of one group, over all processes. */
  readonly atOncePerGroup: number;
  /** New work is told of; what is due again is only found by looking. */
  readonly lookEverySeconds: number;
  /** What takes longer is taken for dead. */
  readonly longestSeconds: number;
  readonly retries: Retries;
};

/** The pause before each doubles, up to the longest; a first one of zero stays so. */
export type Retries = {
  readonly most: number;
  readonly firstAfterSeconds: number;
  readonly longestAfterSeconds: number;
};

export type JobQueues = {
  /** Says who does the work of a queue that this process takes. Without it, it takes none. */
  serve(name: QueueName, handler: Handler): void;
  /** Opens the queues; before any transaction that sends, because the embedded database does one thing at a time. */
  ready(): Promise<void>;
  /** Inside the caller's transaction: the work is there if and only if that commits. */
  send(name: QueueName, transaction: Database, data: string, group: string): Promise<void>;
  /** Aborts what runs here; others go on with it, or the next start does. */
  stop(): Promise<void>;
};

/** A worker that says nothing for so long is dead, and its work goes to another. */
const heartbeatSeconds = 10;

/** With the embedded database there is nobody else who could die. */
const superviseSecondsOf = (source: QueueSource) => ("embedded" in source ? 10 : 2);

type AllRules = Readonly<Record<QueueName, QueueRules>>;
type Handlers = ReadonlyMap<QueueName, Handler>;

export function jobQueues(source: QueueSource, rules: AllRules): JobQueues {
  const handlers = new Map<QueueName, Handler>();
  const stopping = new AbortController();
  let opening: Promise<PgBoss> | undefined;
  const opened = () => {
    opening ??= open(source, rules, handlers);
    // a failure is the caller's to tell; the next one tries anew
    opening.catch(() => {
      opening = undefined;
    });
    return opening;
  };

  return {
    serve(name, handler) {
      handlers.set(name, (data, signal) => handler(data, AbortSignal.any([signal, stopping.signal])));
    },

    ready: async () => void (await opened()),

    async send(name, transaction, data, group) {
      const boss = await opened();
      const db = fromDrizzle(executing(transaction), sql);
      await boss.send(name, { data }, { db, group: { id: group }, ...lifeOf(rules[name]) });
    },

    async stop() {
      stopping.abort(new Error("The service stops."));
      const boss = await opening?.catch(() => undefined);
      await boss?.stop({ graceful: true, timeout: 3_000 });
    },
  };
}

/** Goes with each piece of work: a queue that is there already keeps the rules that it was made with. */
const lifeOf = ({ longestSeconds, retries: { most, firstAfterSeconds, longestAfterSeconds } }: QueueRules) => ({
  expireInSeconds: longestSeconds,
  retryLimit: most,
  retryDelay: firstAfterSeconds,
  ...(firstAfterSeconds > 0 && { retryBackoff: true, retryDelayMax: longestAfterSeconds }),
});

/** What pg-boss wants of a transaction, in its own words. */
const executing = (transaction: Database) => ({
  // safe because it sends what Drizzle's own `sql` made, and every driver answers rows
  execute: async (query: unknown) => (await transaction.execute(query as SQL)) as { rows: unknown[] },
});

async function open(source: QueueSource, rules: AllRules, handlers: Handlers): Promise<PgBoss> {
  const place =
    "embedded" in source
      ? { db: fromPglite(source.embedded), backend: "pglite" as const }
      : { connectionString: source.databaseUrl, max: 3, application_name: "reelwright-queue" };
  const superviseSeconds = superviseSecondsOf(source);
  const boss = new PgBoss({
    ...place,
    ...{ useListenNotify: true, schedule: false },
    ...{ superviseIntervalSeconds: superviseSeconds, monitorIntervalSeconds: superviseSeconds },
  });
  // an error without a listener would end the process; what fails is tried again by pg-boss itself
  boss.on("error", () => {});
  await boss.start();
  // safe because the keys of such a record are queue names
  for (const name of Object.keys(rules) as QueueName[]) {
    await boss.createQueue(name, { notify: true, heartbeatSeconds, deleteAfterSeconds: 3600 });
    if ("embedded" in source) await takeBack(boss, name);
    const handler = handlers.get(name);
    if (handler) await take(boss, name, rules[name], handler);
  }
  return boss;
}

/** Nobody works on what is said to be worked on: this process has only just opened the database. */
async function takeBack(boss: PgBoss, name: QueueName): Promise<void> {
  const abandoned = (await boss.findJobs(name)).filter(({ state }) => state === "active");
  for (const { id } of abandoned) await boss.fail(name, id);
}

async function take(boss: PgBoss, name: QueueName, rules: QueueRules, handler: Handler): Promise<void> {
  const { atOnce, atOncePerGroup, lookEverySeconds } = rules;
  const looking = { pollingIntervalSeconds: lookEverySeconds, notifyPollingIntervalSeconds: lookEverySeconds };
  const options = { groupConcurrency: atOncePerGroup, ...looking };
  const takeOne = async () => {
    const worker = await boss.work<Piece>(name, options, async ([job]) => {
      if (!job) return;
      try {
        await handler(job.data.data, job.signal);
      } catch (error) {
        if (!(error instanceof RetryAfterError) || !(await putOff(boss, job, rules, error.seconds))) throw error;
      } finally {
        // looks again at once: the next of the same group may have waited for this one
        boss.notifyWorker(worker);
      }
    });
  };
  for (let taken = 0; taken < atOnce; taken++) await takeOne();
}

type Piece = {
  readonly data: string;
  /** How often it was tried under other ids. */
  readonly tries?: number;
};

/**
 * Leaves a piece of work to another, because pg-boss knows no pauses but its own: one that goes on where this one is.
 * False when it has no more tries.
 */
async function putOff(boss: PgBoss, job: Job<Piece>, rules: QueueRules, seconds: number): Promise<boolean> {
  const { id, name, data, retryCount, groupId } = job;
  const tries = (data.tries ?? 0) + retryCount + 1;
  const { most, firstAfterSeconds, longestAfterSeconds } = rules.retries;
  if (tries > most) return false;
  const pauseAfter = (failed: number) => Math.min(firstAfterSeconds * 2 ** (failed - 1), longestAfterSeconds);
  const retries = { ...rules.retries, most: most - tries, firstAfterSeconds: pauseAfter(tries + 1) };
  await boss.send(name, { ...data, tries } satisfies Piece, {
    ...lifeOf({ ...rules, retries }),
    ...{ id: successorOf(id), startAfter: Math.max(seconds, pauseAfter(tries)) },
    ...(groupId && { group: { id: groupId } }),
  });
  return true;
}

/** Always the same, so that who is cut off after sending it sends no second one. */
const successorOf = (id: string): string =>
  createHash("sha256")
    .update(id)
    .digest("hex")
    .slice(0, 32)
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
