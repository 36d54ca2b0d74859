import { afterAll, beforeAll, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { RetryAfterError } from "../../../src/platform/retry-after.ts";
import { jobQueues } from "../../../src/storage/database/job-queue.ts";
import { queueRules } from "../../../src/wiring.ts";
import { freshDatabase } from "../../helpers/database.ts";

const database = await freshDatabase();
afterAll(() => database.close());

const lookEverySeconds = 0.5;
const retries = { most: 5, firstAfterSeconds: 20, longestAfterSeconds: 100 };
const rules = { ...queueRules, webhooks: { ...queueRules.webhooks, lookEverySeconds, retries } };

const shown = {
  state: sql<string>`state::text`,
  pause: sql<number>`round(extract(epoch from start_after - created_on))::int`,
  most: sql<number>`retry_limit`,
  nextPause: sql<number>`retry_delay`,
  group: sql<string>`group_id`,
  tries: sql<number>`(data->>'tries')::int`,
};

/** Work by its name: how long it is put off when it is done, and how often that was before. */
const pieces: Record<string, { seconds: number; tries?: number }> = {
  "put off": { seconds: 300 },
  soon: { seconds: 1 },
  later: { seconds: 1, tries: 2 },
  "worn out": { seconds: 300, tries: 5 },
};
const named = (data: string) => sql`data->>'data' = ${data}`;

beforeAll(async () => {
  const queues = jobQueues(database.queueSource, rules);
  const { promise: allTried, resolve } = Promise.withResolvers<void>();
  const tried = new Set<string>();
  queues.serve("webhooks", async (data) => {
    if (tried.add(data).size === Object.keys(pieces).length) resolve();
    throw new RetryAfterError("busy", pieces[data]!.seconds);
  });
  await queues.ready();
  await database.db.transaction(async (transaction) => {
    for (const [data, { tries }] of Object.entries(pieces)) {
      await queues.send("webhooks", transaction, data, `group of ${data}`);
      const piece = JSON.stringify({ data, ...(tries && { tries }) });
      await transaction.execute(sql`update pgboss.job set data = ${piece}::jsonb where ${named(data)}`);
    }
  });
  await allTried;
  // waits for what runs
  await queues.stop();
});

/** One piece of work under each of its ids, the first one first. */
const rowsOf = (data: string) =>
  database.db.select(shown).from(sql`pgboss.job`).where(named(data)).orderBy(sql`created_on`);

test("work that is put off is due no sooner, and goes on with what is left of its tries", async () => {
  const [first, second, ...others] = await rowsOf("put off");
  expect([first?.state, others]).toEqual(["completed", []]);
  const group = "group of put off";
  expect(second).toEqual({ state: "created", pause: 300, most: 4, nextPause: 40, group, tries: 1 });
});

test("the usual pause is kept where a shorter one is asked for", async () => {
  expect((await rowsOf("soon"))[1]?.pause).toBe(20);
  expect((await rowsOf("later"))[1]).toMatchObject({ pause: 80, most: 2, nextPause: 100, tries: 3 });
});

test("work without tries left is not put off any more", async () => {
  expect((await rowsOf("worn out")).map(({ tries }) => tries)).toEqual([5]);
});
