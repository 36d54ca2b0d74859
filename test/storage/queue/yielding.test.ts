import { expect, test } from "bun:test";
import type { PgBoss } from "pg-boss";
import { jobQueues, yieldNotifications } from "../../../src/storage/queue/job-queue.ts";
import { queueRules } from "../../../src/storage/queue/rules.ts";
import { freshDatabase } from "../../support/database.ts";

/** A database whose notifications the test sends. */
async function listening(delayOf: (queue: string) => number) {
  let notify: (queue: string) => void = () => {};
  const db: ReturnType<PgBoss["getDb"]> = {
    executeSql: async () => ({ rows: [] }),
    async listen(_, onNotification) {
      notify = onNotification;
      return { close: async () => {} };
    },
  };
  yieldNotifications(db, delayOf);
  const received: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const onNotification = (queue: string) => {
    received.push(queue);
    if (queue === "busy") resolve();
  };
  await db.listen?.("channel", onNotification, () => {});
  return { notify: (queue: string) => notify(queue), received, busyReceived: promise };
}

test("notifications of a queue with a delay come later, those of others at once", async () => {
  const { notify, received, busyReceived } = await listening((queue) => (queue === "busy" ? 1 : 0));

  notify("busy");
  notify("idle");
  expect(received).toEqual(["idle"]);

  await busyReceived;
  expect(received).toEqual(["idle", "busy"]);
});

test("a process that runs a job takes another one when no other process does", async () => {
  const database = await freshDatabase();
  const started = { first: Promise.withResolvers<void>(), second: Promise.withResolvers<void>() };
  const queues = jobQueues(database.queueConnection, queueRules);
  queues.registerHandler("exports", async (data) => {
    started[data as keyof typeof started].resolve();
    await started.second.promise;
  });
  await queues.ready();
  const send = (data: string) =>
    database.db.transaction((transaction) => queues.send("exports", transaction, data, { group: data }));

  await send("first");
  await started.first.promise;
  await send("second");
  await started.second.promise;

  await queues.stop();
  await database.close();
});
