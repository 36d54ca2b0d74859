import { afterAll, afterEach, beforeEach, expect, test } from "bun:test";
import { type JobQueues, jobQueues } from "../../../src/storage/queue/job-queue.ts";
import { queueRules } from "../../../src/storage/queue/rules.ts";
import { freshDatabase } from "../../helpers/database.ts";

const database = await freshDatabase();
const concurrency = 3;
const rules = { ...queueRules, exports: { ...queueRules.exports, concurrency } };

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
