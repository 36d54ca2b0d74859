import { and, gt, inArray, lte, sql } from "drizzle-orm";
import type { Allowance, RateLimiter } from "../../domain/accounts/rate-limit.ts";
import { DomainError } from "../../errors.ts";
import { sha256Of } from "../../platform/values.ts";
import { rateLimits } from "../tables/accounts.ts";
import type { Database } from "./database.ts";
import { withDatabaseTimeout } from "./errors.ts";
import { deleteSome } from "./rows.ts";

const { key, points, expire } = rateLimits;

/** A count starts with its first point and ends after the limit's seconds. One statement takes points for many keys. */
export const rateLimiter = (db: Database): RateLimiter =>
  withDatabaseTimeout({
    take: (allowances) => take(db, allowances),

    async waits(allowances) {
      const isCurrent = and(inArray(key, allowances.map(keyOf)), gt(expire, new Date()));
      const rows = byKey(await db.select().from(rateLimits).where(isCurrent));
      return allowances.map((allowance) => {
        const row = rows.get(keyOf(allowance));
        return row && row.points >= allowance.points ? secondsUntilEnd(row) : 0;
      });
    },

    giveBack: (allowances) => giveBack(db, allowances),

    async takeAll(allowance) {
      const row = newRow(allowance, allowance.points);
      await db.insert(rateLimits).values(row).onConflictDoUpdate({ target: key, set: row });
    },

    removeExpired: (now) => deleteSome(db, rateLimits, lte(expire, new Date(now)), { order: expire }),
  });

async function take(db: Database, allowances: readonly Allowance[]): Promise<void> {
  if (allowances.length === 0) return;
  const rows = allowances.map((allowance) => newRow(allowance, 1));
  const taken = byKey(await addPoints(db, rows));
  const waits = allowances.flatMap((allowance) => {
    const row = taken.get(keyOf(allowance));
    return row && row.points > allowance.points ? secondsUntilEnd(row) : [];
  });
  if (waits.length === 0) return;
  await giveBack(db, allowances);
  throw new DomainError("rate_limited", { retryAfterSeconds: Math.ceil(Math.max(...waits)) });
}

/** Adds the points of the rows to the counts. Returns the counts with their end times in the database. */
export function addPoints(db: Database, taken: readonly RateLimitRow[]): Promise<readonly RateLimitRow[]> {
  const isExpired = lte(expire, new Date());
  return db
    .insert(rateLimits)
    .values(inLockOrder(taken))
    .onConflictDoUpdate({
      target: key,
      set: {
        points: sql`CASE WHEN ${isExpired} THEN excluded.points ELSE ${points} + excluded.points END`,
        expire: sql`CASE WHEN ${isExpired} THEN excluded.expire ELSE ${expire} END`,
      },
    })
    .returning();
}

/** Inserts like `addPoints`, because a plain update locks its rows in any order. */
async function giveBack(db: Database, allowances: readonly Allowance[]): Promise<void> {
  if (allowances.length === 0) return;
  await db
    .insert(rateLimits)
    .values(inLockOrder(allowances.map((allowance) => newRow(allowance, 0))))
    .onConflictDoUpdate({ target: key, set: { points: sql`greatest(${points} - 1, 0)` } });
}

export type RateLimitRow = typeof rateLimits.$inferSelect;

export const newRow = (allowance: Allowance, taken: number): RateLimitRow => ({
  key: keyOf(allowance),
  points: taken,
  expire: new Date(Date.now() + allowance.seconds * 1000),
});

/** All statements lock rows in the order of their keys: otherwise two of them could wait for each other. */
const inLockOrder = (rows: readonly RateLimitRow[]): RateLimitRow[] =>
  rows.toSorted((a, b) => (a.key < b.key ? -1 : 1));

export const byKey = (rows: readonly RateLimitRow[]): ReadonlyMap<string, RateLimitRow> =>
  new Map(rows.map((row) => [row.key, row]));

/** Above 0 even for a count that has just ended. */
export const secondsUntilEnd = ({ expire }: RateLimitRow): number =>
  Math.max(0.001, ((expire?.getTime() ?? 0) - Date.now()) / 1000);

/** Keys contain e-mail and IP addresses; the table stores a digest instead. */
export const keyOf = ({ key, points, seconds }: Allowance): string => sha256Of(`${points}/${seconds} ${key}`);
