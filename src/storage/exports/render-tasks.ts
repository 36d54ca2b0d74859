import { and, count, desc, eq, isNull, lte, ne, not, or, sql } from "drizzle-orm";
import type { JobLease, OpenAttempt, RenderTaskStore } from "../../domain/exports/lifecycle/jobs.ts";
import type { NumberedTask, RenderTask, RenderTasks } from "../../engine/ports.ts";
import { type HeldLease, type LeasePorts, takeLease } from "../../platform/leases.ts";
import { notifyRunsChanged, notifyRunsOffered, type RunChanges } from "../changes/feed.ts";
import { databaseNow, databaseNowPlus } from "../database/clock.ts";
import type { Database } from "../database/database.ts";
import { withDatabaseTimeout } from "../database/errors.ts";
import { isLeased } from "../leases/store.ts";
import { exportJobs, exportRuns } from "../tables/exports.ts";
import { holdsLease } from "./job-rows.ts";

const { exportId, attempt, number, firstSegment, lastSegment, content, isFinished, holderId, leasedUntil } = exportRuns;

/** The most attempts that a process finds at a time. */
const maxOpen = 16;

/** Begins the names of leases that processes keep while they render runs of an attempt. */
const holderPrefix = "render/";

/** The previous release takes over a run after this time, because it sees no leases by name; this costs only time. */
const respectedMs = 60_000;

type RenderTaskStoreOptions = LeasePorts & { readonly changes?: RunChanges };

/** Without `changes`, runs are polled all the time. */
export const renderTaskStore = (
  db: Database,
  { leases, changes = noChanges }: RenderTaskStoreOptions,
): RenderTaskStore => ({
  untilOffered: changes.untilOffered,
  of: (lease) => sharedTasks(db, lease, { leases, changes }),
  ...withDatabaseTimeout({ findOpen: () => findOpen(db) }),
});

const noChanges: RunChanges = {
  untilOffered: async () => {},
  async *subscribeRuns(_, signal) {
    while (!signal.aborted) yield;
  },
};

const isOf = (lease: JobLease) => and(eq(exportId, lease.exportId), eq(attempt, lease.attempt));

/** The previous release leases a run by its column. */
const isUnclaimed = (db: Database) => {
  const hasExpired = or(
    isNull(leasedUntil),
    lte(leasedUntil, databaseNow),
    sql`starts_with(${holderId}, ${holderPrefix})`,
  );
  return and(eq(isFinished, false), or(isNull(holderId), and(hasExpired, not(isLeased(db, sql`${holderId}`)))));
};

const released = { holderId: null, leasedUntil: null };

const sharedTasks = (
  db: Database,
  lease: JobLease,
  { leases, changes }: Required<RenderTaskStoreOptions>,
): RenderTasks => {
  const holder = holderPrefix + crypto.randomUUID();
  const isHeldHere = and(isOf(lease), eq(holderId, holder), eq(isFinished, false));
  let taken: Promise<HeldLease | undefined> | undefined;
  const leave = async () => {
    const held = await taken?.catch(() => undefined);
    taken = undefined;
    await held?.release();
  };
  let isOwner = false;
  /** The owner of the attempt waits for the others' work. */
  const notified = () => ({ number, notified: isOwner ? sql`null` : notifyRunsChanged(lease.exportId) });

  const runs = withDatabaseTimeout({
    async publish(offered: readonly RenderTask[]) {
      isOwner = true;
      return await publish(db, lease, offered);
    },

    async claim() {
      taken ??= takeLease({ leases }, [holder]);
      taken.catch(() => {
        taken = undefined;
      });
      await taken;
      return await claim(db, lease, holder);
    },

    async finish(finished: number) {
      await db
        .update(exportRuns)
        .set({ isFinished: true, holderId: holder })
        .where(and(isOf(lease), eq(number, finished), eq(isFinished, false)))
        .returning(notified());
    },

    async listFinished() {
      const isOfOthers = and(isOf(lease), eq(isFinished, true), ne(holderId, holder));
      const finished = await db.select({ number }).from(exportRuns).where(isOfOthers);
      return finished.map((row) => row.number);
    },

    async release() {
      await db.update(exportRuns).set(released).where(isHeldHere).returning(notified()).finally(leave);
    },

    async remove() {
      await db.delete(exportRuns).where(isOf(lease)).finally(leave);
    },
  });
  return {
    ...runs,
    async *finishedByOthers(signal) {
      for await (const _ of changes.subscribeRuns(lease.exportId, signal)) {
        // nothing is known while the database is unreachable
        yield await runs.listFinished().catch(() => []);
      }
    },
  };
};

async function publish(db: Database, lease: JobLease, runs: readonly RenderTask[]): Promise<boolean> {
  return await db.transaction(async (transaction) => {
    const [held] = await transaction
      .select({ id: exportJobs.id })
      .from(exportJobs)
      .where(holdsLease(lease))
      .for("share");
    if (!held) return false;
    await transaction.delete(exportRuns).where(eq(exportId, lease.exportId));
    // lists, so that any number of runs is one statement of a few parameters
    const listOf = (field: keyof RenderTask) => sql.param(runs.map((run) => run[field]));
    await transaction.execute(sql`
      insert into ${exportRuns} (export_id, attempt, number, first_segment, last_segment, content, is_finished)
      select ${lease.exportId}, ${lease.attempt}, run.number - 1, run.first, run.last, run.content, false
      from unnest(${listOf("first")}::int[], ${listOf("last")}::int[], ${listOf("content")}::text[])
        with ordinality as run(first, last, content, number)`);
    await transaction.execute(notifyRunsOffered);
    return true;
  });
}

/** Skips a run that another process is claiming at the same time. */
async function claim(db: Database, lease: JobLease, holder: string): Promise<NumberedTask | undefined> {
  const next = db
    .select({ number })
    .from(exportRuns)
    .where(and(isOf(lease), isUnclaimed(db)))
    .orderBy(number)
    .limit(1)
    .for("update", { skipLocked: true });
  const [run] = await db
    .update(exportRuns)
    .set({ holderId: holder, leasedUntil: databaseNowPlus(respectedMs) })
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
    .where(isUnclaimed(db))
    .groupBy(exportId, attempt, userId)
    .orderBy(desc(count()))
    .limit(maxOpen);
}
