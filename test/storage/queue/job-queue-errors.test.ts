import { expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { openDatabase } from "../../../src/storage/database/database.ts";
import { jobQueues } from "../../../src/storage/queue/job-queue.ts";
import { queueRules } from "../../../src/storage/queue/rules.ts";
import { freshDatabase, preparedServerDatabase, serverUrl } from "../../support/database.ts";
import { freezableProxy } from "../freezable-proxy.ts";

test.if(!!serverUrl)("queues open no connection of their own, however often their start fails", async () => {
  const { databaseUrl, drop } = await preparedServerDatabase(serverUrl!);
  const poolSize = 2;
  const database = await openDatabase({ databaseUrl, dataDir: "unused", poolSize });
  await database.listen("news", () => {});
  // pg-boss rejects the last name, after it has started and opened the others
  const rules = { ...queueRules, "not a name!": queueRules.exports };
  const queues = jobQueues(database.queueConnection, rules);
  queues.registerHandler("exports", async () => {});
  for (let starts = 0; starts < 3; starts++) await expect(queues.ready()).rejects.toThrow("Name");

  const [row] = await database.db
    .select({ count: sql<number>`count(*)::int` })
    .from(sql`pg_stat_activity`)
    .where(sql`datname = current_database() and application_name like 'reelwright%'`);
  const listening = 1;
  expect(row?.count).toBeLessThanOrEqual(poolSize + listening);
  await database.close();
  await drop();
});

test.if(!!serverUrl)(
  "queues that could not be opened at the start of the process open once the server is back",
  async () => {
    const { databaseUrl, drop } = await preparedServerDatabase(serverUrl!);
    const proxy = await freezableProxy(databaseUrl);
    const away = await openDatabase({ databaseUrl: proxy.databaseUrl, dataDir: "unused" });
    const queues = jobQueues(away.queueConnection, queueRules);
    const reported = Promise.withResolvers<unknown>();
    queues.onError(reported.resolve);
    const processed = Promise.withResolvers<string>();
    queues.registerHandler("exports", async (job) => processed.resolve(job));

    proxy.disconnect();
    const started = queues.start();
    await reported.promise;
    expect(queues.check).toThrow();

    await proxy.reconnect();
    await started;
    queues.check();
    const database = await openDatabase({ databaseUrl, dataDir: "unused" });
    await database.db.transaction((transaction) => queues.send("exports", transaction, "a job", { group: "a user" }));
    expect(await processed.promise).toBe("a job");

    await queues.stop();
    await Promise.all([database.close(), away.close()]);
    proxy.close();
    await drop();
  },
);

test("queues whose start fails stop at once", async () => {
  const refuse = async () => {
    throw new Error("refused");
  };
  const queues = jobQueues({ server: { query: refuse, listen: refuse } }, queueRules);
  const reported = Promise.withResolvers<unknown>();
  queues.onError(reported.resolve);
  const started = queues.start();
  await reported.promise;
  await queues.stop();
  await started;
  expect(queues.check).toThrow();
});

test("errors of open queues are reported", async () => {
  const database = await freshDatabase();
  const pollingSeconds = 0.1;
  const queues = jobQueues(database.queueConnection, {
    ...queueRules,
    exports: { ...queueRules.exports, pollingSeconds },
  });
  const reported = Promise.withResolvers<unknown>();
  queues.onError(reported.resolve);
  queues.registerHandler("exports", async () => {});
  await queues.ready();

  await database.db.execute(sql`alter table pgboss.queue rename to lost`);

  expect(await reported.promise).toMatchObject({ message: expect.stringContaining("does not exist") });
  await queues.stop().catch(() => {});
  // for the next user of the database
  await database.db.execute(sql`alter table pgboss.lost rename to queue`);
  await database.close();
});
