import { and, count, desc, eq, isNull, lte, ne, or, sql } from "drizzle-orm";
import type { JobLease } from "../../domain/exports/jobs.ts";
import {
  claimMs,
  type NumberedRun,
  type OpenAttempt,
  type RunStore,
  type SegmentRun,
  type SharedRuns,
} from "../../domain/exports/shared-runs.ts";
import { databaseNow, databaseNowPlus } from "../database/clock.ts";
import type { Database } from "../database/database.ts";
import { withDatabaseTimeout } from "../database/errors.ts";
import { exportJobs, exportRuns } from "../database/tables/exports.ts";
import { notifyRunsOffered } from "./change-feed.ts";
import { holdsLease } from "./job-rows.ts";

const { exportId, attempt, number, firstSegment, lastSegment, content, isFinished, holderId, leasedUntil } = exportRuns;

/** A process can find so many attempts at a time. */
const maxOpen = 16;

type RunStoreOptions = Partial<Pick<RunStore, "untilOffered">> & { readonly holder?: string };

/** `holder` identifies this process. Without `untilOffered`, runs are looked for all the time. */
export const runStore = (
  db: Database,
  { holder = crypto.randomUUID(), untilOffered = async () => {} }: RunStoreOptions = {},
): RunStore => ({
  untilOffered,
  of: (lease) => sharedRuns(db, lease, holder),
  ...withDatabaseTimeout({ findOpen: () => findOpen(db) }),
});

const isOf = (lease: JobLease) => and(eq(exportId, lease.exportId), eq(attempt, lease.attempt));

const isUnclaimed = and(eq(isFinished, false), or(isNull(leasedUntil), lte(leasedUntil, databaseNow)));

const sharedRuns = (db: Database, lease: JobLease, holder: string): SharedRuns => {
  const isHeldHere = and(isOf(lease), eq(holderId, holder), eq(isFinished, false));
  return withDatabaseTimeout({
    publish: (runs: readonly SegmentRun[]) => publish(db, lease, runs),
    claim: () => claim(db, lease, holder),

    async finish(finished: number) {
      await db
        .update(exportRuns)
        .set({ isFinished: true, holderId: holder })
        .where(and(isOf(lease), eq(number, finished), eq(isFinished, false)));
    },

    async renew() {
      const renewed = db.$with("renewed").as(
        db
          .update(exportRuns)
          .set({ leasedUntil: databaseNowPlus(claimMs) })
          .where(isHeldHere)
          .returning({ number }),
      );
      const isOfOthers = and(isOf(lease), eq(isFinished, true), ne(holderId, holder));
      const finished = await db.with(renewed).select({ number }).from(exportRuns).where(isOfOthers);
      return finished.map((row) => row.number);
    },

    async release() {
      await db.update(exportRuns).set({ leasedUntil: null }).where(isHeldHere);
    },

    async remove() {
      await db.delete(exportRuns).where(isOf(lease));
    },
  });
};

async function publish(db: Database, lease: JobLease, runs: readonly SegmentRun[]): Promise<boolean> {
  return await db.transaction(async (transaction) => {
    const [held] = await transaction
      .select({ id: exportJobs.id })
      .from(exportJobs)
      .where(holdsLease(lease))
      .for("share");
    if (!held) return false;
    await transaction.delete(exportRuns).where(eq(exportId, lease.exportId));
    // lists, so that any number of runs is one statement of a few parameters
    const listOf = (field: keyof SegmentRun) => sql.param(runs.map((run) => run[field]));
    await transaction.execute(sql`
      insert into ${exportRuns} (export_id, attempt, number, first_segment, last_segment, content, is_finished)
      select ${lease.exportId}, ${lease.attempt}, run.number - 1, run.first, run.last, run.content, false
      from unnest(${listOf("first")}::int[], ${listOf("last")}::int[], ${listOf("content")}::text[])
        with ordinality as run(first, last, content, number)`);
    await transaction.execute(notifyRunsOffered);
    return true;
  });
}

/** Skips a run that another process is claiming at this moment. */
async function claim(db: Database, lease: JobLease, holder: string): Promise<NumberedRun | undefined> {
  const next = db
    .select({ number })
    .from(exportRuns)
    .where(and(isOf(lease), isUnclaimed))
    .orderBy(number)
    .limit(1)
    .for("update", { skipLocked: true });
  const [run] = await db
    .update(exportRuns)
    .set({ holderId: holder, leasedUntil: databaseNowPlus(claimMs) })
    .where(and(isOf(lease), eq(number, next)))
    .returning({ number, first: firstSegment, last: lastSegment, content });
  return run;
}

async function findOpen(db: Database): Promise<readonly OpenAttempt[]> {
  const { userId } = exportJobs;
  const isCurrent = and(
    eq(exportJobs.id, exportId),
    eq(exportJobs.attempt, attempt),
    eq(exportJobs.status, "rendering"),
  );
  return await db
    .select({ exportId, attempt, userId })
    .from(exportRuns)
    .innerJoin(exportJobs, isCurrent)
    .where(isUnclaimed)
    .groupBy(exportId, attempt, userId)
    .orderBy(desc(count()))
    .limit(maxOpen);
}
