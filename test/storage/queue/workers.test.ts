import { afterAll, afterEach, beforeEach, expect, test } from "bun:test";
import { RetryAfterError } from "../../../src/platform/async.ts";
import { type JobQueues, jobQueues } from "../../../src/storage/queue/job-queue.ts";
import { queueRules } from "../../../src/storage/queue/rules.ts";
import { freshDatabase } from "../../support/database.ts";

const database = await freshDatabase();
const concurrency = 3;
const rules = { ...queueRules, exports: { ...queueRules.exports, concurrency, pollingSeconds: 0.1 } };

let queues: JobQueues;
beforeEach(() => {
  queues = jobQueues(database.queueConnection, rules);
});
afterEach(() => queues.stop());
afterAll(() => database.close());

const send = (data: string) =>
  database.db.transaction((transaction) => queues.send("exports", transaction, data, { group: data }));

test("as many jobs run at a time as the rules allow, and another one follows each that ends", async () => {
  const started: string[] = [];
  const { promise: allRun, resolve: fill } = Promise.withResolvers<void>();
  const { promise: allDone, resolve: end } = Promise.withResolvers<void>();
  let running = 0;
  let most = 0;
  queues.registerHandler("exports", async (data) => {
    started.push(data);
    running++;
    most = Math.max(most, running);
    if (running === concurrency) fill();
    await allRun;
    running--;
    if (started.length === 5 && running === 0) end();
  });
  await queues.ready();

  for (const data of ["1", "2", "3", "4", "5"]) await send(data);
  await allDone;

  expect(started.toSorted()).toEqual(["1", "2", "3", "4", "5"]);
  expect(most).toBe(concurrency);
});

test("a process whose job met a fault takes no other job until that is over, and then all", async () => {
  const started: string[] = [];
  const running = Promise.withResolvers<void>();
  const { promise: othersEnd, resolve: endOthers } = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const allDone = Promise.withResolvers<void>();
  let isOver = false;
  let isFaulty = true;
  queues.registerHandler("exports", async (data) => {
    started.push(data);
    if (data === "long") {
      running.resolve();
      await othersEnd;
    } else if (isFaulty) {
      throw new RetryAfterError("A fault", 0, async () => {
        asked.resolve();
        return isOver;
      });
    } else if (new Set(started).size === 6) allDone.resolve();
  });
  await queues.ready();
  await send("long");
  await running.promise;
  await send("faulty");
  await asked.promise;

  for (const data of ["1", "2", "3", "4"]) await send(data);
  endOthers();
  // they would begin at once
  for (let query = 0; query < 50; query++) await database.ping();
  expect(started).toEqual(["long", "faulty"]);

  isFaulty = false;
  isOver = true;
  await allDone.promise;
  expect(started.toSorted()).toEqual(["1", "2", "3", "4", "faulty", "faulty", "long"]);
});
