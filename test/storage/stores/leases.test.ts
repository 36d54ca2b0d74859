import { afterAll, beforeAll, expect, test } from "bun:test";
import type { LeaseStore } from "../../../src/domain/shared/leases.ts";
import { leaseStore } from "../../../src/storage/stores/leases.ts";
import { type FreshDatabase, freshDatabase } from "../../helpers/database.ts";

let database: FreshDatabase;
let store: LeaseStore;

beforeAll(async () => {
  database = await freshDatabase();
  store = leaseStore(database.db);
});
afterAll(() => database.close());

const lease = (name: string, holderId = crypto.randomUUID()) => ({ name, holderId });
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
  await store.renew(late, 0);
  await store.release(late);
  expect(await store.acquire(late, minute)).toBe(false);

  await store.renew(current, 0);
  expect(await store.acquire(late, minute)).toBe(true);
});

test("expired leases are removed, and a running one stays", async () => {
  await store.acquire(lease("gone"), 0);
  await store.acquire(lease("running"), minute);
  await store.removeExpired();
  expect(await store.acquire(lease("running"), minute)).toBe(false);

  await store.releaseAll();
  expect(await store.acquire(lease("running"), minute)).toBe(true);
});
