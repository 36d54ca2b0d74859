import type { Allowance, RequestLimiter } from "../../domain/accounts/rate-limit.ts";
import { DomainError } from "../../errors.ts";
import type { Database } from "./database.ts";
import { withDatabaseTimeout } from "./errors.ts";
import { addPoints, byKey, keyOf, type RateLimitRow } from "./rate-limiter.ts";

/** Far more users than send requests in that time; each row uses three of a statement's 65,535 parameters. */
const maxRows = 1000;

/** The points of an allowance: `stored` by all processes at the last settlement, `taken` here since then. */
type Count = { readonly key: string; stored: number; taken: number; expiresAt: number };

/**
 * Counts in memory, and adds new points to the database twice a second. While the database is unreachable, points still
 * count here and are added later. Tests shorten the time.
 */
export function requestLimiter(db: Database, { settleEveryMs = 500 } = {}): RequestLimiter {
  const counts = new Map<string, Count>();
  const unsettled = new Set<Count>();
  let isScheduled = false;

  const database = withDatabaseTimeout({ addPoints: (rows: readonly RateLimitRow[]) => addPoints(db, rows) });

  const currentCount = (allowance: Allowance, now: number): Count => {
    const name = `${allowance.points}/${allowance.seconds} ${allowance.key}`;
    const found = counts.get(name);
    if (found && found.expiresAt > now) return found;
    const count = { key: keyOf(allowance), stored: 0, taken: 0, expiresAt: now + allowance.seconds * 1000 };
    counts.set(name, count);
    return count;
  };

  const settle = async () => {
    const now = Date.now();
    for (const [name, count] of counts) if (count.expiresAt <= now) counts.delete(name);
    const current = [...unsettled].filter(({ expiresAt }) => expiresAt > now);
    unsettled.clear();
    for (let start = 0; start < current.length; start += maxRows) {
      const batch = current.slice(start, start + maxRows);
      // requests of users whose points cannot be stored fail anyway, and are logged
      await store(batch).catch(() => {
        for (const count of batch) unsettled.add(count);
      });
    }
    isScheduled = false;
    if (unsettled.size > 0) schedule();
  };

  const store = async (batch: readonly Count[]) => {
    const rows = batch.map(({ key, taken, expiresAt }) => ({ key, points: taken, expire: new Date(expiresAt) }));
    const stored = byKey(await database.addPoints(rows));
    for (const [index, count] of batch.entries()) {
      const { points, expire } = stored.get(count.key)!; // safe because the statement returns every row
      count.stored = points;
      count.taken -= rows[index]!.points;
      count.expiresAt = expire?.getTime() ?? 0;
    }
  };

  const schedule = () => {
    if (isScheduled) return;
    isScheduled = true;
    setTimeout(settle, settleEveryMs).unref();
  };

  return {
    take(allowance) {
      const now = Date.now();
      const count = currentCount(allowance, now);
      if (count.stored + count.taken >= allowance.points) {
        throw new DomainError("rate_limited", { retryAfterSeconds: Math.ceil((count.expiresAt - now) / 1000) });
      }
      count.taken++;
      unsettled.add(count);
      schedule();
    },
  };
}
