import { afterAll, expect, test } from "bun:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { eq, inArray, sql } from "drizzle-orm";
import type { Allowance, RequestLimiter } from "../../../src/domain/accounts/rate-limit.ts";
import { keyOf } from "../../../src/storage/database/rate-limiter.ts";
import { requestLimiter } from "../../../src/storage/database/request-limiter.ts";
import { rateLimits } from "../../../src/storage/tables/accounts.ts";
import { freshDatabase } from "../../support/database.ts";

const { db, close } = await freshDatabase();
afterAll(() => close());

const newLimiter = () => requestLimiter(db, { settleEveryMs: 1 });
const newAllowance = (points: number): Allowance => ({ key: crypto.randomUUID(), points, seconds: 60 });

/** Takes points until none is left, at most `most`; returns how many there were. */
function takeUpTo(most: number, limiter: RequestLimiter, allowance: Allowance): number {
  for (let taken = 0; taken < most; taken++) {
    try {
      limiter.take(allowance);
    } catch (error) {
      expect(error).toMatchObject({ code: "rate_limited" });
      return taken;
    }
  }
  return most;
}

async function storedPoints(allowance: Allowance): Promise<number> {
  const [row] = await db
    .select()
    .from(rateLimits)
    .where(eq(rateLimits.key, keyOf(allowance)));
  return row?.points ?? 0;
}

async function until(isReached: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isReached())) await nextTurn();
}

test("a process counts at once", () => {
  const limiter = newLimiter();
  const allowance = newAllowance(5);

  expect(takeUpTo(20, limiter, allowance)).toBe(5);
  expect(takeUpTo(20, limiter, newAllowance(5))).toBe(5);
});

test("rate_limited states the seconds until a retry can succeed", () => {
  const limiter = newLimiter();
  const allowance = newAllowance(1);
  limiter.take(allowance);

  const refuse = () => limiter.take(allowance);

  expect(refuse).toThrow(expect.objectContaining({ facts: { retryAfterSeconds: 60 } }));
});

test("two processes together exceed a limit by no more than they take between two settlements", async () => {
  const [one, other] = [newLimiter(), newLimiter()];
  const allowance = newAllowance(40);

  let taken = 0;
  await until(async () => {
    const now = takeUpTo(1, one, allowance) + takeUpTo(1, other, allowance);
    taken += now;
    await until(async () => (await storedPoints(allowance)) === taken);
    return now === 0;
  });

  // each misses at most what the other takes before it reads the answer of its own settlement
  expect(taken).toBeWithin(40, 45);
});

test("a new process continues the counts of the one before", async () => {
  const allowance = newAllowance(10);
  takeUpTo(10, newLimiter(), allowance);
  await until(async () => (await storedPoints(allowance)) === 10);

  const successor = newLimiter();
  await until(() => takeUpTo(1, successor, allowance) === 0);
});

test("points are available again after the limit's seconds", async () => {
  const limiter = newLimiter();
  const allowance = { ...newAllowance(1), seconds: 0.01 };

  await until(() => takeUpTo(1, limiter, allowance) === 1);
  await until(() => takeUpTo(1, limiter, allowance) === 1);
});

test("while the database fails, a process counts on, and stores its counts later", async () => {
  const limiter = newLimiter();
  const allowance = newAllowance(10);
  await db.execute(sql`ALTER TABLE rate_limits RENAME TO away`);

  expect(takeUpTo(6, limiter, allowance)).toBe(6);
  // during these queries, it tries to store them
  for (let query = 0; query < 50; query++) await db.execute(sql`SELECT 1`);
  expect(takeUpTo(20, limiter, allowance)).toBe(4);

  await db.execute(sql`ALTER TABLE away RENAME TO rate_limits`);
  await until(async () => (await storedPoints(allowance)) === 10);
});

test("more users than a statement has room for are stored by several", async () => {
  const limiter = newLimiter();
  const allowances = Array.from({ length: 1001 }, () => newAllowance(5));

  for (const allowance of allowances) limiter.take(allowance);

  await until(async () => (await db.$count(rateLimits, inArray(rateLimits.key, allowances.map(keyOf)))) === 1001);
});
