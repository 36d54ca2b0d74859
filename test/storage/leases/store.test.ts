import { afterAll, beforeAll, expect, test } from "bun:test";
import type { LeaseStore } from "../../../src/platform/leases.ts";
import { leaseStore } from "../../../src/storage/leases/store.ts";
import { type FreshDatabase, freshDatabase } from "../../support/database.ts";

let database: FreshDatabase;
let store: LeaseStore;

beforeAll(async () => {
  database = await freshDatabase();
  store = leaseStore(database.db);
});
afterAll(() => database.close());

const lease = (...names: string[]) => ({ names, holderId: crypto.randomUUID() });
const minute = 60_000;

const succeeded = (results: readonly boolean[]) => results.filter(Boolean).length;

test.each([
  ["free", async () => {}],
  ["expired", () => store.acquire(lease("expired"), 0)],
])("one of twenty concurrent attempts takes a lease that is %s", async (name, prepare) => {
  await prepare();
  const attempts = Array.from({ length: 20 }, () => store.acquire(lease(name), minute));
  expect(succeeded(await Promise.all(attempts))).toBe(1);
});

test("a released lease is free, and leases of other names stay", async () => {
  const mine = lease("mine");
  expect(await store.acquire(mine, minute)).toBe(true);
  expect(await store.acquire(lease("another"), minute)).toBe(true);
  await store.release(mine);
  expect(await store.acquire(lease("mine"), minute)).toBe(true);
  expect(await store.acquire(lease("another"), minute)).toBe(false);
});

test("a holder whose lease was taken over can neither renew nor release it", async () => {
  const late = lease("taken");
  await store.acquire(late, 0);
  const current = lease("taken");
  expect(await store.acquire(current, minute)).toBe(true);
  await store.renew([{ ...late, leaseMs: 0 }]);
  await store.release(late);
  expect(await store.acquire(late, minute)).toBe(false);

  await store.renew([{ ...current, leaseMs: 0 }]);
  expect(await store.acquire(late, minute)).toBe(true);
});

test("renewing gives every lease its own time, and returns those that are lost", async () => {
  const [kept, ended, released] = [lease("kept"), lease("ended"), lease("released 1", "released 2")];
  for (const each of [kept, ended, released]) await store.acquire(each, minute);
  await store.release({ ...released, names: ["released 2"] });
  const renewed = [
    { ...kept, leaseMs: minute },
    { ...ended, leaseMs: 0 },
    { ...released, leaseMs: minute },
  ];
  expect(await store.renew(renewed)).toEqual([renewed[2]!]);
  expect(await store.acquire(lease("kept"), minute)).toBe(false);
  expect(await store.acquire(lease("ended"), minute)).toBe(true);
});

test("expired leases are listed by the beginning of their names until they are removed", async () => {
  await store.acquire(lease("list/1", "list_2"), 0);
  await store.acquire(lease("list/3"), minute);
  expect(await store.listExpired("list/")).toEqual(["list/1"]);

  await store.removeExpired("kept/");
  expect(await store.listExpired("list/")).toEqual([]);
});

test("of several names a holder gets all or none", async () => {
  const both = lease("both 1", "both 2");
  expect(await store.acquire(both, minute)).toBe(true);
  expect(await store.acquire(lease("both 2", "both 3"), minute)).toBe(false);
  expect(await store.acquire(lease("both 3"), minute)).toBe(true);

  await store.renew([{ ...both, leaseMs: 0 }]);
  expect(await store.acquire(lease("both 1", "both 2"), minute)).toBe(true);
});

test("of concurrent attempts at names that overlap, no two succeed, and those that fail hold nothing", async () => {
  const names = Array.from({ length: 12 }, (_, index) => `overlap ${index}`.padEnd(12, "x"));
  const wanted = names.slice(1).map((name, index) => lease(...[names[index]!, name].sort()));
  const taken = await Promise.all(wanted.map((each) => store.acquire(each, minute)));

  const held = wanted.filter((_, index) => taken[index]);
  const heldNames = held.flatMap((each) => each.names);
  expect(held).not.toBeEmpty();
  expect(new Set(heldNames).size).toBe(heldNames.length);
  const free = await Promise.all(names.map((name) => store.acquire(lease(name), minute)));
  expect(succeeded(free)).toBe(names.length - heldNames.length);
});

test("expired leases are removed, and a running one stays", async () => {
  await store.acquire(lease("gone"), 0);
  await store.acquire(lease("running"), minute);
  await store.removeExpired("kept/");
  expect(await store.acquire(lease("running"), minute)).toBe(false);

  await store.releaseAll();
  expect(await store.acquire(lease("running"), minute)).toBe(true);
});

test("of leases with a kept beginning only those are dropped that were seen, and are still expired", async () => {
  for (const name of ["scene/seen", "scene/taken again", "scene/unseen"]) await store.acquire(lease(name), 0);
  await store.acquire(lease("scene/taken again"), minute);
  await store.removeExpired("scene/");
  await store.dropExpired(["scene/seen", "scene/taken again"]);

  expect(await store.listExpired("scene/")).toEqual(["scene/unseen"]);
  expect(await store.acquire(lease("scene/taken again"), minute)).toBe(false);
  await store.releaseAll();
});
