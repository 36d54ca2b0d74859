import { afterAll, expect, test } from "bun:test";
import { rateLimiter } from "../../../src/storage/database/rate-limiter.ts";
import { rateLimits } from "../../../src/storage/database/tables/auth.ts";
import { freshDatabase } from "../../helpers/database.ts";
import { codeOf } from "../samples.ts";

const database = await freshDatabase();

afterAll(() => database.close());

const limit = { points: 5, seconds: 60 };

test("concurrent calls of two limiters on one database share the limit", async () => {
  const one = rateLimiter(database.db);
  const other = rateLimiter(database.db);

  const calls = Array.from({ length: 20 }, (_, index) => codeOf((index % 2 ? one : other).consume("ann", limit)));

  const outcomes = await Promise.all(calls);
  expect(outcomes.filter((outcome) => outcome === "resolved")).toHaveLength(5);
  expect(outcomes.filter((outcome) => outcome === "rate_limited")).toHaveLength(15);
});

test("rate_limited states the seconds until a retry can succeed", async () => {
  const limiter = rateLimiter(database.db);
  const once = { points: 1, seconds: 90 };
  await limiter.consume("bob", once);

  const refusal = await limiter.consume("bob", once).catch((error) => error);

  expect(refusal.facts.retryAfterSeconds).toBeWithin(60, 91);
});

test("check consumes no point and throws only when none is left", async () => {
  const limiter = rateLimiter(database.db);
  const twice = { points: 2, seconds: 60 };

  await limiter.check("fay", twice);
  await limiter.consume("fay", twice);
  await limiter.check("fay", twice);
  await limiter.consume("fay", twice);

  expect(await codeOf(limiter.check("fay", twice))).toBe("rate_limited");
});

test("each pair of key and limit has its own count", async () => {
  const limiter = rateLimiter(database.db);
  const once = { points: 1, seconds: 60 };

  await limiter.consume("cid", once);
  await limiter.consume("dan", once);
  await limiter.consume("cid", { points: 2, seconds: 60 });

  expect(await codeOf(limiter.consume("cid", once))).toBe("rate_limited");
});

test("points are available again after the limit's seconds", async () => {
  const limiter = rateLimiter(database.db);
  const once = { points: 1, seconds: 60 };
  await limiter.consume("eve", once);
  await database.db.update(rateLimits).set({ expire: new Date(Date.now() - 1) });

  expect(await codeOf(limiter.consume("eve", once))).toBe("resolved");
});

test("keys of any length are accepted and stored as hashes only", async () => {
  const key = "ann@example.com".repeat(10_000);

  await rateLimiter(database.db).consume(key, limit);

  const rows = await database.db.select().from(rateLimits);
  expect(rows.filter((row) => row.key.includes("ann") || row.key.length > 100)).toEqual([]);
});
