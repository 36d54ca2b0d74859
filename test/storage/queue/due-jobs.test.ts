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

test.each([
  ["that became due", sql`start_after = now()`],
  [
    "whose process has died",
    sql`state = 'active', started_on = now(), heartbeat_seconds = 10, heartbeat_on = now() - interval '11 s'`,
  ],
])("a job %s is taken without a notification", async (data, assignment) => {
  const change = (changes: ReturnType<typeof sql>) =>
    database.db.execute(sql`update pgboss.job set ${changes} where data->>'data' = ${data}`);
  const sender = jobQueues(database.queueConnection, rules);
  await sender.ready();
  await send(sender, data);
  await change(sql`start_after = now() + interval '1 hour'`);
  await sender.stop();

  const { promise: taken, resolve } = Promise.withResolvers<string>();
  queues.registerHandler("exports", async (job) => resolve(job));
  await queues.ready();
  // after the first look of the worker
  await change(assignment);
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
