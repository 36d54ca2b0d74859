import { afterAll, afterEach, beforeEach, expect, test } from "bun:test";
import { type JobQueues, jobQueues, priorityOf } from "../../../src/storage/queue/job-queue.ts";
import { queueRules } from "../../../src/storage/queue/rules.ts";
import { freshDatabase } from "../../support/database.ts";

const database = await freshDatabase();
const rules = {
  ...queueRules,
  exports: { ...queueRules.exports, concurrency: 1 },
  films: { ...queueRules.films, concurrency: 1 },
};

let queues: JobQueues;
beforeEach(() => {
  queues = jobQueues(database.queueConnection, rules);
});
afterEach(() => queues.stop());
afterAll(() => database.close());

test("the first job of a group passes the backlog of another", async () => {
  const started: string[] = [];
  const { promise: allSent, resolve: runOn } = Promise.withResolvers<void>();
  const { promise: allDone, resolve: end } = Promise.withResolvers<void>();
  const { promise: isRunning, resolve: begin } = Promise.withResolvers<void>();
  queues.registerHandler("exports", async (data) => {
    started.push(data);
    begin();
    await allSent;
    if (started.length === 5) end();
  });
  await queues.ready();
  const send = (data: string, group: string, unfinished: number) =>
    database.db.transaction((transaction) => queues.send("exports", transaction, data, { group, unfinished }));

  await send("ann 1", "ann", 0);
  await isRunning;
  for (const unfinished of [1, 2]) await send(`ann ${unfinished + 1}`, "ann", unfinished);
  for (const unfinished of [0, 1]) await send(`bob ${unfinished + 1}`, "bob", unfinished);
  runOn();
  await allDone;

  expect(started).toEqual(["ann 1", "bob 1", "ann 2", "bob 2", "ann 3"]);
});

test("the first job of a group passes the backlog of another also where nobody counts the jobs", async () => {
  const released = Promise.withResolvers<void>();
  const started: string[] = [];
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  queues.registerHandler("films", async (data) => {
    started.push(data);
    begun.resolve();
    await released.promise;
    if (started.length === 4) ended.resolve();
  });
  await queues.ready();
  const send = (data: string, group: string) =>
    database.db.transaction((transaction) => queues.send("films", transaction, data, { group }));

  await send("ann 1", "ann");
  await begun.promise;
  for (const [data, group] of [
    ["ann 2", "ann"],
    ["ann 3", "ann"],
    ["bob 1", "bob"],
  ] as const)
    await send(data, group);
  released.resolve();
  await ended.promise;

  expect(started).toEqual(["ann 1", "bob 1", "ann 2", "ann 3"]);
});

test("a delivery does not wait for the slow receivers of two other users", async () => {
  const released = Promise.withResolvers<void>();
  const delivered = Promise.withResolvers<void>();
  queues.registerHandler("webhooks", async (data) => {
    if (data === "fast") delivered.resolve();
    else await released.promise;
  });
  await queues.ready();
  for (const group of ["ann", "ann", "ann", "bob", "bob", "bob", "cleo"]) {
    const data = group === "cleo" ? "fast" : "slow";
    await database.db.transaction((transaction) => queues.send("webhooks", transaction, data, { group }));
  }

  await delivered.promise;
  released.resolve();
});

test("a backlog does not wait for all later jobs of others", () => {
  const now = 1_800_000_000_000;
  const minutes = (count: number) => now + count * 60_000;
  expect(priorityOf(0, now)).toBeGreaterThan(priorityOf(1, now));
  expect(priorityOf(5, now)).toBeLessThan(priorityOf(0, minutes(4)));
  expect(priorityOf(5, now)).toBeGreaterThan(priorityOf(0, minutes(6)));
});
