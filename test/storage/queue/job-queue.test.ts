import { afterAll, beforeAll, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { RetryAfterError } from "../../../src/platform/async.ts";
import { jobQueues } from "../../../src/storage/queue/job-queue.ts";
import { queueRules } from "../../../src/storage/queue/rules.ts";
import { freshDatabase, serverUrl } from "../../support/database.ts";

const database = await freshDatabase();
afterAll(() => database.close());

const pollingSeconds = 0.1;
const retries = { limit: 5, delaySeconds: 20, maxDelaySeconds: 100 };
const rules = { ...queueRules, webhooks: { ...queueRules.webhooks, pollingSeconds, retries } };

const columns = {
  state: sql<string>`state::text`,
  delay: sql<number>`round(extract(epoch from start_after - created_on))::int`,
  retryLimit: sql<number>`retry_limit`,
  retryDelay: sql<number>`retry_delay`,
  group: sql<string>`group_id`,
  tries: sql<number>`(data->>'tries')::int`,
  priority: sql<number>`priority`,
};

/** Jobs by their data: the retry delay that the handler requests, and the tries before this one. */
const jobs: Record<string, { seconds: number; tries?: number }> = {
  delayed: { seconds: 300 },
  soon: { seconds: 1 },
  later: { seconds: 1, tries: 2 },
  exhausted: { seconds: 300, tries: 5 },
};
const withData = (data: string) => sql`data->>'data' = ${data}`;

beforeAll(async () => {
  const queues = jobQueues(database.queueConnection, rules);
  const { promise: allTried, resolve } = Promise.withResolvers<void>();
  const tried = new Set<string>();
  queues.registerHandler("webhooks", async (data) => {
    if (tried.add(data).size === Object.keys(jobs).length) resolve();
    throw new RetryAfterError("busy", jobs[data]!.seconds);
  });
  await queues.ready();
  await database.db.transaction(async (transaction) => {
    for (const [data, { tries }] of Object.entries(jobs)) {
      await queues.send("webhooks", transaction, data, { group: `group of ${data}`, unfinished: 3 });
      const stored = JSON.stringify({ data, ...(tries && { tries }) });
      await transaction.execute(sql`update pgboss.job set data = ${stored}::jsonb where ${withData(data)}`);
    }
  });
  await allTried;
  // waits for running jobs
  await queues.stop();
});

/** The rows of a job and its successors, oldest first. */
const rowsOf = (data: string) =>
  database.db.select(columns).from(sql`pgboss.job`).where(withData(data)).orderBy(sql`created_on`);

test.skipIf(Boolean(serverUrl))("the embedded database prepares the queries of the queue", async () => {
  const rows = await database.db.execute(sql`select from pg_prepared_statements where statement like '%pgboss%'`);
  expect(rows).toMatchObject({ rows: expect.arrayContaining([{}]) });
});

test("a rescheduled job starts after the requested delay, with the remaining retries", async () => {
  const [first, second, ...others] = await rowsOf("delayed");
  expect([first?.state, others]).toEqual(["completed", []]);
  const group = "group of delayed";
  const { priority } = first!;
  expect(second).toEqual({ state: "created", delay: 300, retryLimit: 4, retryDelay: 40, group, tries: 1, priority });
  expect(priority).toBeLessThan(0);
});

test("the queue's own delay applies if the requested one is shorter", async () => {
  expect((await rowsOf("soon"))[1]?.delay).toBe(20);
  expect((await rowsOf("later"))[1]).toMatchObject({ delay: 80, retryLimit: 2, retryDelay: 100, tries: 3 });
});

test("a job without remaining retries is not rescheduled", async () => {
  expect((await rowsOf("exhausted")).map(({ tries }) => tries)).toEqual([5]);
});
