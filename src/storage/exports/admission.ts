import { and, desc, eq, gt, inArray, type SQL, sql } from "drizzle-orm";
import { DomainError } from "../../errors.ts";
import type { Database } from "../database/database.ts";
import { exportJobs } from "../database/tables/exports.ts";
import { unfinishedStatuses } from "./job-rows.ts";

/** The last export of a longer queue would wait for hours. */
const maxQueuedPerUser = 100;

/** Bounds the table; users share the workers in turns. */
const maxQueued = 2000;

const retryAfterSeconds = { min: 1, unknown: 30, max: 3600 };

/** The rendering speed is measured over this many exports. */
const sampleSize = 20;

const { userId, status, frames, framesDone, framesRendered, startedAt, finishedAt } = exportJobs;

/** The number of the user's unfinished exports. Throws busy if the user has too many waiting, or if all users have. */
export async function requireQueueCapacity(transaction: Database, owner: string): Promise<number> {
  const isOwn = eq(userId, owner);
  const { ownQueued, queued, ownUnfinished } = await countUnfinished(transaction, isOwn);
  const isOwnFull = ownQueued >= maxQueuedPerUser;
  if (!isOwnFull && queued < maxQueued) return ownUnfinished;
  throw new DomainError("busy", {
    retryAfterSeconds: await secondsUntilNextEnd(transaction, isOwnFull ? isOwn : undefined),
  });
}

async function countUnfinished(transaction: Database, isOwn: SQL) {
  const countIf = (condition: SQL | undefined) => sql<number>`count(*) filter (where ${condition})`.mapWith(Number);
  const isQueued = eq(status, "queued");
  const [counts] = await transaction
    .select({ ownQueued: countIf(and(isOwn, isQueued)), queued: countIf(isQueued), ownUnfinished: countIf(isOwn) })
    .from(exportJobs)
    .where(inArray(status, [...unfinishedStatuses]));
  return counts!; // safe because an aggregate gives one row
}

/** The time until the running export with the fewest remaining frames ends and a queued one starts. */
async function secondsUntilNextEnd(transaction: Database, whose: SQL | undefined): Promise<number> {
  const [next] = await transaction
    .select({ remaining: sql<number>`min(${frames} - ${framesDone})`.mapWith(Number) })
    .from(exportJobs)
    .where(and(eq(status, "rendering"), gt(frames, 0), whose));
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
