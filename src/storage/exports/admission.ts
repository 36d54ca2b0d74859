import { and, count, desc, eq, gt, sql } from "drizzle-orm";
import { DomainError } from "../../errors.ts";
import type { Database } from "../database/database.ts";
import { exportJobs } from "../database/tables/exports.ts";

/** The last export of a longer queue would wait for hours. */
const maxQueued = 100;

const retryAfterSeconds = { min: 1, unknown: 30, max: 3600 };

/** The rendering speed is measured over this many exports. */
const sampleSize = 20;

const { status, frames, framesDone, framesRendered, startedAt, finishedAt } = exportJobs;

/** Throws busy if the queue is full. */
export async function requireQueueCapacity(transaction: Database): Promise<void> {
  const [queued] = await transaction.select({ count: count() }).from(exportJobs).where(eq(status, "queued"));
  if ((queued?.count ?? 0) < maxQueued) return;
  throw new DomainError("busy", { retryAfterSeconds: await secondsUntilNextEnd(transaction) });
}

/** The time until the running export with the fewest remaining frames ends and a queued one starts. */
async function secondsUntilNextEnd(transaction: Database): Promise<number> {
  const [next] = await transaction
    .select({ remaining: sql<number>`min(${frames} - ${framesDone})`.mapWith(Number) })
    .from(exportJobs)
    .where(and(eq(status, "rendering"), gt(frames, 0)));
  const millisecondsPerFrame = await recentMillisecondsPerFrame(transaction);
  if (!next?.remaining || millisecondsPerFrame === undefined) return retryAfterSeconds.unknown;
  const seconds = Math.ceil((next.remaining * millisecondsPerFrame) / 1000);
  return Math.min(retryAfterSeconds.max, Math.max(retryAfterSeconds.min, seconds));
}

/** The mean over the last exports that rendered any frame; undefined if there is none. */
async function recentMillisecondsPerFrame(db: Database): Promise<number | undefined> {
  const recent = await db
    .select({ milliseconds: sql<number>`${finishedAt} - ${startedAt}`.mapWith(Number), frames: framesRendered })
    .from(exportJobs)
    .where(and(eq(status, "done"), gt(framesRendered, 0)))
    .orderBy(desc(finishedAt))
    .limit(sampleSize);
  const total = (field: "milliseconds" | "frames") => recent.reduce((sum, row) => sum + row[field], 0);
  return total("frames") > 0 ? total("milliseconds") / total("frames") : undefined;
}
