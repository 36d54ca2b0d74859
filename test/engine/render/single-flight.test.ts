import { afterAll, beforeAll, expect, test } from "bun:test";
import { singleFlight } from "../../../src/engine/render/tasks/single-flight.ts";
import { leaseStore } from "../../../src/storage/leases/store.ts";
import { type FreshDatabase, freshDatabase } from "../../support/database.ts";

let database: FreshDatabase;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database.close());

const { signal } = new AbortController();

/** A cache of keys, and what providers of them do with it. */
function countedCache() {
  const cached = new Set<string>();
  const made: string[] = [];
  type Item = { readonly key: string };
  const take = async (items: readonly Item[]) => items.filter(({ key }) => !cached.has(key));
  const make = async (items: readonly Item[]) => {
    for (const { key } of items) made.push(key) && cached.add(key);
  };
  return { made, options: { signal, take, make } };
}

test("a job that has reserved an item makes it although another one of this process waits for it", async () => {
  const flight = singleFlight({ leases: leaseStore(database.db) });
  const { made, options } = countedCache();
  const items = [{ key: "sound" }];
  const reserved = await flight.reserve(items);
  const waits = flight.provide(items, options);
  await flight.provide(items, { ...options, reserved });
  await reserved?.release();
  await waits;
  expect(made).toEqual(["sound"]);
});

test("what a job needs at several places is made once", async () => {
  const flight = singleFlight({ leases: leaseStore(database.db) });
  const { made, options } = countedCache();
  const reserved = await flight.reserve([{ key: "part" }]);
  await Promise.all([1, 2, 3].map(() => flight.provide([{ key: "part" }], { ...options, reserved })));
  await reserved?.release();
  await Promise.all([1, 2, 3].map(() => flight.provide([{ key: "other" }], options)));
  expect(made).toEqual(["part", "other"]);
});
