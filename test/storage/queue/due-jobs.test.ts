import { afterAll, afterEach, beforeEach, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { type JobQueues, jobQueues } from "../../../src/storage/queue/job-queue.ts";
import { queueRules } from "../../../src/storage/queue/rules.ts";
import { freshDatabase } from "../../support/database.ts";

const database = await freshDatabase();
const rules = { ...queueRules, exports: { ...queueRules.exports, pollingSeconds: 0.1 } };
let queues: JobQueues;
beforeEach(() => {
  queues = jobQueues(database.queueConnection, rules);
});
afterEach(() => queues.stop());
afterAll(() => database.close());

const send = (by: JobQueues, data: string) =>
  database.db.transaction((transaction) => by.send("exports", transaction, data, { group: "ann" }));

/** Enqueues a job that nobody is notified of, and changes its row. */
async function store(data: string, assignment: ReturnType<typeof sql>) {
  const sender = jobQueues(database.queueConnection, rules);
  await sender.ready();
  await send(sender, data);
  await database.db.execute(sql`update pgboss.job set ${assignment} where data->>'data' = ${data}`);
  await sender.stop();
}

test.each([
  ["that became due", sql`start_after = now() + interval '1 s'`],
  [
    "whose process has died",
    sql`state = 'active', started_on = now(), heartbeat_seconds = 10, heartbeat_on = now() - interval '9 s'`,
  ],
])("a job %s is taken without a notification", async (data, assignment) => {
  await store(data, assignment);
  const { promise: taken, resolve } = Promise.withResolvers<string>();
  queues.registerHandler("exports", async (job) => resolve(job));
  await queues.ready();
  expect(await taken).toBe(data);
});

test("an ended job is kept for an hour, however its queue was created", async () => {
  const { promise: done, resolve } = Promise.withResolvers<void>();
  queues.registerHandler("exports", async () => resolve());
  await queues.ready();
  await database.db.execute(sql`update pgboss.queue set deletion_seconds = 7 * 86400`);
  await send(queues, "ended");
  await done;
  const [row] = await database.db
    .select({ seconds: sql<number>`deletion_seconds` })
    .from(sql`pgboss.job`)
    .where(sql`data->>'data' = 'ended'`);
  expect(row?.seconds).toBe(3600);
});
