import { expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { openDatabase } from "../../../src/storage/database/database.ts";
import { jobQueues } from "../../../src/storage/queue/job-queue.ts";
import { queueRules } from "../../../src/storage/queue/rules.ts";
import { preparedServerDatabase, serverUrl } from "../../support/database.ts";
import { freezableProxy } from "../freezable-proxy.ts";

const timings = { connectMs: 5_000, queryMs: 3_000, probeEveryMs: 100, probeMs: 500 };

test.if(!!serverUrl)("jobs are processed again after the server was replaced behind silent connections", async () => {
  const { databaseUrl, drop } = await preparedServerDatabase(serverUrl!);
  const proxy = await freezableProxy(databaseUrl);
  const database = await openDatabase({ databaseUrl, dataDir: "unused" });
  const behind = await openDatabase({ databaseUrl: proxy.databaseUrl, dataDir: "unused", timings });
  const queues = jobQueues(behind.queueConnection, queueRules);
  const processed = new Map([
    ["before", Promise.withResolvers<void>()],
    ["after", Promise.withResolvers<void>()],
  ]);
  queues.registerHandler("exports", async (job) => processed.get(job)!.resolve());
  await queues.ready();
  const send = (job: string) =>
    database.db.transaction((transaction) => queues.send("exports", transaction, job, { group: "a user" }));
  await send("before");
  await processed.get("before")!.promise;

  proxy.freezeOpen();
  await send("after");
  await processed.get("after")!.promise;
  expect([...processed.keys()]).toEqual(["before", "after"]);

  await queues.stop();
  await Promise.all([database.close(), behind.close()]);
  proxy.close();
  await drop();
});

test.if(!!serverUrl)("jobs that are sent while the server ends all connections are processed", async () => {
  const { databaseUrl, name, drop } = await preparedServerDatabase(serverUrl!);
  const database = await openDatabase({ databaseUrl, dataDir: "unused" });
  const behind = await openDatabase({ databaseUrl, dataDir: "unused", timings });
  const queues = jobQueues(behind.queueConnection, queueRules);
  const jobs = ["before", "during", "after"];
  const processed = new Map(jobs.map((job) => [job, Promise.withResolvers<void>()]));
  const order: string[] = [];
  queues.registerHandler("exports", async (job) => {
    order.push(job);
    processed.get(job)!.resolve();
  });
  await queues.ready();
  const send = (job: string) =>
    database.db.transaction((transaction) => queues.send("exports", transaction, job, { group: job }));
  await send("before");
  await processed.get("before")!.promise;

  await database.db.transaction(async (transaction) => {
    await queues.send("exports", transaction, "during", { group: "during" });
    await transaction.execute(sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = ${name} and pid <> pg_backend_pid()`);
  });
  await processed.get("during")!.promise;
  await send("after");
  await processed.get("after")!.promise;

  expect(order).toEqual(jobs);
  await queues.stop();
  await Promise.all([database.close(), behind.close()]);
  await drop();
});
