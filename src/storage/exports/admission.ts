import { and, desc, eq, gt, inArray, isNull, type SQL, sql } from "drizzle-orm";
import { type Quality, qualities } from "../../engine/ports.ts";
import { DomainError } from "../../errors.ts";
import { sum } from "../../platform/values.ts";
import type { Database } from "../database/database.ts";
import { addPoints, newRow, secondsUntilEnd } from "../database/rate-limiter.ts";
import { requireRoomLeft, type UserLimits } from "../database/storage-usage.ts";
import { users } from "../tables/accounts.ts";
import { exportJobs, hasRendered, isOfQuality } from "../tables/exports.ts";
import { unfinishedStatuses } from "./job-rows.ts";

/** The last export of a longer queue would wait for hours. */
const maxQueuedPerUser = 20;

/** Limits the table; users share the workers in turns. */
const maxQueued = 2000;

/** The last slots are for clients with few queued exports, so that many accounts of one cannot fill the queue. */
const keptSlots = 500;
const fewPerNetwork = 100;

const retryAfterSeconds = { min: 1, unknown: 30, max: 3600 };

/** The rendering speed is measured over this many exports. */
const sampleSize = 20;

const { userId, batchId, status, frames, framesDone, framesRendered, startedAt, finishedAt } = exportJobs;

export type ExportLimits = UserLimits & { readonly maxExportsPerDay?: number | undefined };

/**
 * Admits an export inside the transaction that adds it and has locked its user, so that two concurrent requests do not
 * both take the last slot. Films of batches begin one after another and take no slot. Returns the number of the user's
 * unfinished exports. Throws limit_reached, rate_limited if the user has requested too many in a day, and busy if all
 * users have too many waiting.
 */
export async function admitExport(
  transaction: Database,
  owner: string,
  limits: ExportLimits = {},
  isOfBatch = false,
): Promise<number> {
  const { maxUserBytes, maxExportsPerDay } = limits;
  if (maxUserBytes !== undefined) await requireRoomLeft(transaction, { userId: owner, maxBytes: maxUserBytes });
  const unfinished = isOfBatch ? 0 : await requireQueueCapacity(transaction, owner);
  if (maxExportsPerDay !== undefined) await takeOfDay(transaction, owner, maxExportsPerDay);
  return unfinished;
}

/** A user's day begins with the first export. A rollback of the transaction gives the point back. */
async function takeOfDay(transaction: Database, owner: string, allowed: number): Promise<void> {
  const day = { key: `exports ${owner}`, points: allowed, seconds: 86_400 };
  const [taken] = await addPoints(transaction, [newRow(day, 1)]);
  if (!taken || taken.points <= allowed) return;
  const retryAfterSeconds = Math.ceil(secondsUntilEnd(taken));
  throw new DomainError("rate_limited", {
    retryAfterSeconds,
    quota: { limit: "exports_per_day", used: allowed, allowed },
  });
}

async function requireQueueCapacity(transaction: Database, owner: string): Promise<number> {
  const isOwn = eq(userId, owner);
  const { ownQueued, queued, ownUnfinished } = await countUnfinished(transaction, isOwn);
  const isOwnFull = ownQueued >= maxQueuedPerUser;
  const isFull =
    queued >= maxQueued || (queued >= maxQueued - keptSlots && (await hasManyOfNetwork(transaction, owner)));
  if (!isOwnFull && !isFull) return ownUnfinished;
  const retryAfterSeconds = await secondsUntilNextEnd(transaction, isOwnFull ? isOwn : undefined);
  if (!isOwnFull) throw new DomainError("busy", { retryAfterSeconds });
  const quota = { limit: "waiting_exports", used: ownQueued, allowed: maxQueuedPerUser } as const;
  throw new DomainError("limit_reached", { quota, retryAfterSeconds });
}

/** True if many exports come from the network where the owner registered; false for an unknown network. */
async function hasManyOfNetwork(transaction: Database, owner: string): Promise<boolean> {
  const network = sql`(select ${users.registeredFrom} from ${users} where ${users.id} = ${owner})`;
  const neighbours = transaction
    .select({ id: users.id })
    .from(exportJobs)
    .innerJoin(users, eq(users.id, userId))
    .where(and(eq(status, "queued"), isNull(batchId), eq(users.registeredFrom, network)))
    .limit(fewPerNetwork);
  return (await neighbours).length === fewPerNetwork;
}

async function countUnfinished(transaction: Database, isOwn: SQL) {
  const countIf = (condition: SQL | undefined) => sql<number>`count(*) filter (where ${condition})`.mapWith(Number);
  const isQueued = eq(status, "queued");
  const [counts] = await transaction
    .select({ ownQueued: countIf(and(isOwn, isQueued)), queued: countIf(isQueued), ownUnfinished: countIf(isOwn) })
    .from(exportJobs)
    .where(and(inArray(status, [...unfinishedStatuses]), isNull(batchId)));
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

/** The mean over the last exports that rendered a frame; undefined if there are none. */
async function recentMillisecondsPerFrame(db: Database): Promise<number | undefined> {
  const rows: RenderedExport[] = [];
  // one by one, because the index begins with the quality
  for (const quality of qualities) rows.push(...(await recentlyRendered(db, quality)));
  const recent = rows.toSorted((a, b) => b.finishedAt - a.finishedAt).slice(0, sampleSize);
  const total = (field: "milliseconds" | "frames") => sum(recent.map((row) => row[field]));
  return total("frames") > 0 ? total("milliseconds") / total("frames") : undefined;
}

type RenderedExport = { readonly milliseconds: number; readonly frames: number; readonly finishedAt: number };

const recentlyRendered = (db: Database, quality: Quality): Promise<RenderedExport[]> =>
  db
    .select({
      milliseconds: sql<number>`${finishedAt} - ${startedAt}`.mapWith(Number),
      frames: framesRendered,
      finishedAt: sql<number>`${finishedAt}`.mapWith(Number),
    })
    .from(exportJobs)
    .where(and(hasRendered, isOfQuality(quality)))
    .orderBy(desc(finishedAt))
    .limit(sampleSize);
