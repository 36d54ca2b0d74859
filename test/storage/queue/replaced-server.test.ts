import { expect, test } from "bun:test";
import { openDatabase } from "../../../src/storage/database/database.ts";
import { jobQueues } from "../../../src/storage/queue/job-queue.ts";
import { queueRules } from "../../../src/storage/queue/rules.ts";
import { preparedServerDatabase, serverUrl } from "../../helpers/database.ts";
import { freezableProxy } from "../freezable-proxy.ts";

const timings = { connectMs: 2_000, queryMs: 1_000, probeEveryMs: 100, probeMs: 500 };

test.if(!!serverUrl)("jobs are processed again after the server was replaced behind silent connections", async () => {
  const { databaseUrl, drop } = await preparedServerDatabase(serverUrl!);
  const proxy = await freezableProxy(databaseUrl);
  const database = await openDatabase({ databaseUrl, dataDir: "unused" });
  const queues = jobQueues({ databaseUrl: proxy.databaseUrl, timings }, queueRules);
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
  await database.close();
  proxy.close();
  await drop();
});
