import { afterAll, expect, test } from "bun:test";
import { rateLimiter } from "../../../src/storage/database/rate-limiter.ts";
import { rateLimits } from "../../../src/storage/database/schema.ts";
import { freshDatabase } from "../../helpers/database.ts";
import { codeOf } from "../samples.ts";

const database = await freshDatabase();

afterAll(() => database.close());

const limit = { points: 5, seconds: 60 };

test("of many calls at once, over two limiters on one database, only the limit's number passes", async () => {
  const [one, other] = [rateLimiter(database.db), rateLimiter(database.db)];

  const calls = Array.from({ length: 20 }, (_, index) => codeOf((index % 2 ? one : other).take("ann", limit)));

  const outcomes = await Promise.all(calls);
  expect(outcomes.filter((outcome) => outcome === "resolved")).toHaveLength(5);
  expect(outcomes.filter((outcome) => outcome === "rate_limited")).toHaveLength(15);
});

test("a refusal says after how many seconds to come again", async () => {
  const limiter = rateLimiter(database.db);
  const once = { points: 1, seconds: 90 };
  await limiter.take("bob", once);

  const refusal = await limiter.take("bob", once).catch((error) => error);

  expect(refusal.facts.retryAfterSeconds).toBeWithin(60, 91);
});

test("a check takes nothing, and refuses only when nothing is left", async () => {
  const limiter = rateLimiter(database.db);
  const twice = { points: 2, seconds: 60 };

  await limiter.check("fay", twice);
  await limiter.take("fay", twice);
  await limiter.check("fay", twice);
  await limiter.take("fay", twice);

  expect(await codeOf(limiter.check("fay", twice))).toBe("rate_limited");
});

test("each key and each limit counts for itself", async () => {
  const limiter = rateLimiter(database.db);
  const once = { points: 1, seconds: 60 };

  await limiter.take("cid", once);
  await limiter.take("dan", once);
  await limiter.take("cid", { points: 2, seconds: 60 });

  expect(await codeOf(limiter.take("cid", once))).toBe("rate_limited");
});

test("a point comes back when its time is over", async () => {
  const limiter = rateLimiter(database.db);
  const once = { points: 1, seconds: 60 };
  await limiter.take("eve", once);
  await database.db.update(rateLimits).set({ expire: new Date(Date.now() - 1) });

  expect(await codeOf(limiter.take("eve", once))).toBe("resolved");
});

test("keys of any length are taken, and none is stored as it is", async () => {
  const key = "ann@example.com".repeat(10_000);

  await rateLimiter(database.db).take(key, limit);

  const rows = await database.db.select().from(rateLimits);
  expect(rows.filter((row) => row.key.includes("ann") || row.key.length > 100)).toEqual([]);
});
