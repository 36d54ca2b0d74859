import { expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { jobQueues } from "../../../src/storage/queue/job-queue.ts";
import { queueRules } from "../../../src/storage/queue/rules.ts";
import { freshDatabase, serverUrl } from "../../helpers/database.ts";

test.if(!!serverUrl)("queues that could not be opened leave no connection behind", async () => {
  const database = await freshDatabase();
  // pg-boss rejects the last name, after it has started and opened the others
  const rules = { ...queueRules, "not a name!": queueRules.exports };
  const queues = jobQueues(database.queueConnection, rules);
  queues.registerHandler("exports", async () => {});
  for (let starts = 0; starts < 3; starts++) await expect(queues.ready()).rejects.toThrow("Name");

  const [row] = await database.db
    .select({ count: sql<number>`count(*)::int` })
    .from(sql`pg_stat_activity`)
    .where(sql`datname = current_database() and application_name = 'reelwright-queue'`);
  expect(row?.count).toBe(0);
  await database.close();
});

test("errors of open queues are reported", async () => {
  const database = await freshDatabase();
  const pollingSeconds = 0.5;
  const queues = jobQueues(database.queueConnection, {
    ...queueRules,
    exports: { ...queueRules.exports, pollingSeconds },
  });
  const reported = Promise.withResolvers<unknown>();
  queues.onError(reported.resolve);
  queues.registerHandler("exports", async () => {});
  await queues.ready();

  await database.db.execute(sql`alter table pgboss.job rename to lost`);

  expect(await reported.promise).toMatchObject({ message: expect.stringContaining("does not exist") });
  await queues.stop().catch(() => {});
  await database.close();
});
