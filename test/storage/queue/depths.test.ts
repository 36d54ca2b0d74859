import { afterAll, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { currentOrigin, type Origin, runFrom } from "../../../src/platform/tracing.ts";
import { queueDepths } from "../../../src/storage/queue/depths.ts";
import { jobQueues } from "../../../src/storage/queue/job-queue.ts";
import { queueRules } from "../../../src/storage/queue/rules.ts";
import { freshDatabase } from "../../support/database.ts";

const database = await freshDatabase();
afterAll(() => database.close());
const queues = () => jobQueues(database.queueConnection, queueRules);
const send = (opened: ReturnType<typeof queues>, data: string) =>
  database.db.transaction((transaction) => opened.send("exports", transaction, data, { group: "ann" }));

test("jobs that wait, that are delayed and that run are counted apart, with the age of the oldest that may run", async () => {
  const sender = queues();
  await sender.ready();
  const read = queueDepths(database.db);
  const none = { waiting: 0, delayed: 0, active: 0, oldestWaitingSeconds: 0 };
  expect(await read()).toContainEqual({ queue: "webhooks", ...none });
  for (const data of ["old", "young", "later", "running"]) await send(sender, data);
  const change = (assignment: ReturnType<typeof sql>, data: string) =>
    database.db.execute(sql`update pgboss.job set ${assignment} where data->>'data' = ${data}`);
  const earlier = (seconds: number) => sql`created_on = now() - ${`${seconds} s`}::interval, start_after = created_on`;
  await change(sql`created_on = now() - interval '90 s', start_after = now() - interval '90 s'`, "old");
  await change(earlier(10), "young");
  await change(sql`start_after = now() + interval '1 hour'`, "later");
  await change(sql`state = 'active'`, "running");

  const [exports] = (await read()).filter(({ queue }) => queue === "exports");
  expect(exports).toMatchObject({ waiting: 2, delayed: 1, active: 1 });
  expect(exports!.oldestWaitingSeconds).toBeGreaterThanOrEqual(90);
  expect(exports!.oldestWaitingSeconds).toBeLessThan(150);
  await database.db.execute(sql`delete from pgboss.job`);
  await sender.stop();
});

test("a job runs with the origin of the request that enqueued it", async () => {
  const opened = queues();
  const seen: [string, Origin][] = [];
  const { promise: allRun, resolve } = Promise.withResolvers<void>();
  opened.registerHandler("exports", async (data) => {
    seen.push([data, currentOrigin()]);
    if (seen.length === 3) resolve();
  });
  await opened.ready();
  const origins = ["one", "two"].map((requestId) => ({ requestId, traceparent: `00-${requestId}` }));
  await Promise.all(origins.map((origin) => runFrom(origin, () => send(opened, origin.requestId))));
  await send(opened, "nobody");
  await allRun;
  await opened.stop();
  expect(seen.toSorted()).toEqual([["nobody", {}], ...origins.map((origin) => [origin.requestId, origin])] as never);
});
