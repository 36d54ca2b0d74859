import { afterAll, expect, test } from "bun:test";
import { rateLimiter } from "../../../src/storage/database/rate-limiter.ts";
import { rateLimits } from "../../../src/storage/tables/accounts.ts";
import { freshDatabase } from "../../support/database.ts";
import { codeOf } from "../samples.ts";

const database = await freshDatabase();

afterAll(() => database.close());

const limit = { points: 5, seconds: 60 };

test("concurrent calls of two limiters on one database share the limit", async () => {
  const one = rateLimiter(database.db);
  const other = rateLimiter(database.db);

  const calls = Array.from({ length: 20 }, (_, index) =>
    codeOf((index % 2 ? one : other).take([{ ...limit, key: "ann" }])),
  );

  const outcomes = await Promise.all(calls);
  expect(outcomes.filter((outcome) => outcome === "resolved")).toHaveLength(5);
  expect(outcomes.filter((outcome) => outcome === "rate_limited")).toHaveLength(15);
});

test("rate_limited states the seconds until a retry can succeed", async () => {
  const limiter = rateLimiter(database.db);
  const once = { points: 1, seconds: 90 };
  await limiter.take([{ ...once, key: "bob" }]);

  const refusal = await limiter.take([{ ...once, key: "bob" }]).catch((error) => error);

  expect(refusal.facts.retryAfterSeconds).toBeWithin(60, 91);
});

test("waits says when an allowance has points again, without taking one", async () => {
  const limiter = rateLimiter(database.db);
  const twice = { key: "fay", points: 2, seconds: 60 };
  const other = { key: "gil", points: 1, seconds: 60 };

  expect(await limiter.waits([twice])).toEqual([0]);
  await limiter.take([twice]);
  expect(await limiter.waits([twice])).toEqual([0]);
  await limiter.take([twice]);

  const [wait, ...others] = await limiter.waits([twice, other]);
  expect(wait).toBeWithin(30, 60.1);
  expect(others).toEqual([0]);
});

test("take takes a point of every allowance or of none", async () => {
  const limiter = rateLimiter(database.db);
  const full = { key: "hal", points: 1, seconds: 30 };
  const free = { key: "ida", points: 2, seconds: 60 };
  await limiter.take([full, free]);

  const refusal = await limiter.take([free, full]).catch((error) => error);

  expect(refusal).toMatchObject({ code: "rate_limited" });
  expect(refusal.facts.retryAfterSeconds).toBeWithin(1, 31);
  expect(await codeOf(limiter.take([free]))).toBe("resolved");
  expect(await codeOf(limiter.take([free]))).toBe("rate_limited");
});

test("a point that was given back can be taken again, once", async () => {
  const limiter = rateLimiter(database.db);
  const once = [{ key: "jan", points: 1, seconds: 60 }];
  await limiter.take(once);
  await limiter.giveBack(once);
  await limiter.giveBack(once);

  expect(await codeOf(limiter.take(once))).toBe("resolved");
  expect(await codeOf(limiter.take(once))).toBe("rate_limited");
});

test("takeAll takes all points from now on, also if some were taken before", async () => {
  const limiter = rateLimiter(database.db);
  const thrice = { key: "kim", points: 3, seconds: 60 };
  await limiter.take([thrice]);
  await database.db.update(rateLimits).set({ expire: new Date(Date.now() + 1000) });

  await limiter.takeAll(thrice);

  const [wait] = await limiter.waits([thrice]);
  expect(wait).toBeWithin(30, 60.1);
});

test("concurrent calls with the same keys in any order end", async () => {
  const limiter = rateLimiter(database.db);
  const many = ["a", "b", "c", "d", "e"].map((key) => ({ key, points: 1000, seconds: 60 }));
  const calls = Array.from({ length: 60 }, (_, index) => {
    const allowances = index % 2 ? many : many.toReversed();
    return codeOf(index % 3 ? limiter.take(allowances) : limiter.giveBack(allowances));
  });

  expect(new Set(await Promise.all(calls))).toEqual(new Set(["resolved"]));
});

test("expired counts are removed", async () => {
  const limiter = rateLimiter(database.db);
  await database.db.delete(rateLimits);
  await limiter.take([{ key: "lea", points: 1, seconds: 60 }]);
  await limiter.take([{ key: "mia", points: 1, seconds: 3600 }]);

  await limiter.removeExpired(Date.now() + 61_000);

  expect(await database.db.$count(rateLimits)).toBe(1);
});

test("each pair of key and limit has its own count", async () => {
  const limiter = rateLimiter(database.db);
  const once = { points: 1, seconds: 60 };

  await limiter.take([{ ...once, key: "cid" }]);
  await limiter.take([{ ...once, key: "dan" }]);
  await limiter.take([{ key: "cid", points: 2, seconds: 60 }]);

  expect(await codeOf(limiter.take([{ ...once, key: "cid" }]))).toBe("rate_limited");
});

test("points are available again after the limit's seconds", async () => {
  const limiter = rateLimiter(database.db);
  const once = [{ key: "eve", points: 1, seconds: 60 }];
  await limiter.take(once);
  await database.db.update(rateLimits).set({ expire: new Date(Date.now() - 1) });

  expect(await codeOf(limiter.take(once))).toBe("resolved");
});

test("keys of any length are accepted and stored as hashes only", async () => {
  const key = "ann@example.com".repeat(10_000);

  await rateLimiter(database.db).take([{ ...limit, key }]);

  const rows = await database.db.select().from(rateLimits);
  expect(rows.filter((row) => row.key.includes("ann") || row.key.length > 100)).toEqual([]);
});
