import { type AnyColumn, and, asc, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { Delivery, DeliveryJob, DeliveryStore } from "../../domain/destinations/deliveries.ts";
import type { Database } from "../database/database.ts";
import { withDatabaseTimeout } from "../database/errors.ts";
import { withNulls, withoutNulls } from "../database/rows.ts";
import type { JobQueues } from "../queue/job-queue.ts";
import { isActive, users } from "../tables/accounts.ts";
import { deliveries } from "../tables/destinations.ts";
import { projects } from "../tables/projects.ts";

type Queues = Pick<JobQueues, "ready" | "send">;

const { id, exportId, target, address, status, attempt, begunAt } = deliveries;

/** A dry run ends like a delivery, but a retry may send it. */
const isRunning = inArray(status, ["queued", "sending"]);

/** False for a removed project or account. */
const isReachable = sql`exists (select from ${projects} join ${users} on ${users.id} = ${projects.userId}
  and ${isActive} where ${projects.id} = ${deliveries.projectId})`;

/** Returns the number of those that did not exist. */
export async function addDeliveries(transaction: Database, added: readonly Delivery[]): Promise<number> {
  if (added.length === 0) return 0;
  const rows = added.map((delivery) => withNulls(deliveries, delivery));
  const insert = transaction.insert(deliveries).values(rows);
  return (await insert.onConflictDoNothing({ target: [exportId, target, address] }).returning({ id })).length;
}

/** A job is of one round of attempts: a later one, which the owner has requested, ends it. */
const sendJob = (transaction: Database, queues: Queues, group: string, job: DeliveryJob): Promise<void> =>
  queues.send("deliveries", transaction, JSON.stringify(job), { group });

/** True for an export whose videos are all sent, as far as they can be: it may expire. */
export const hasNoDelivery = (ofExport: AnyColumn): SQL =>
  sql`not exists (select from ${deliveries} where ${exportId} = ${ofExport} and ${isRunning})`;

type EndedExport = { readonly id: string; readonly userId: string; readonly status: string };

/**
 * Enqueues the deliveries of an export in the transaction that ends it, so that none is lost; those of an export without
 * videos fail.
 */
export async function enqueueDeliveries(
  transaction: Database,
  queues: Queues,
  ended: EndedExport,
  now: number,
): Promise<void> {
  const isOf = and(eq(exportId, ended.id), eq(status, "queued"));
  if (ended.status !== "done") {
    const failure = { code: "export_failed", message: "The export has no video: it failed, or was cancelled." };
    await transaction.update(deliveries).set({ status: "failed", failure, endedAt: now }).where(isOf);
    return;
  }
  const rows = await transaction.update(deliveries).set({ begunAt: now }).where(isOf).returning({ id });
  for (const row of rows) await sendJob(transaction, queues, ended.userId, { id: row.id, begunAt: now });
}

export const deliveryStore = (db: Database, queues: Queues): DeliveryStore =>
  withDatabaseTimeout({
    async list(...ofExports) {
      const rows = await db.select().from(deliveries).where(inArray(exportId, ofExports)).orderBy(asc(id));
      return rows.map(withoutNulls);
    },

    async queue(added, { isRetried }) {
      if (added.length === 0) return;
      await queues.ready();
      await db.transaction(async (transaction) => {
        const now = Date.now();
        for (const { exportId: ofExport, target: ofTarget, address: to, ...delivery } of added) {
          const isSame = and(eq(exportId, ofExport), eq(target, ofTarget), eq(address, to));
          const [found] = await transaction.select().from(deliveries).where(isSame).for("update");
          const isBegun = found && (!isRetried || found.status === "delivered");
          if (isBegun) continue;
          const begun = {
            status: "queued",
            begunAt: now,
            failure: null,
            plan: null,
            retryAt: null,
            endedAt: null,
          } as const;
          const { wishes, requireGate, dryRun, sealed = null } = delivery;
          if (found) {
            const changes = { ...begun, wishes, requireGate, dryRun, sealed };
            await transaction.update(deliveries).set(changes).where(isSame);
          } else {
            const row = { ...delivery, exportId: ofExport, target: ofTarget, address: to, begunAt: now };
            // another request may have added it meanwhile
            const inserted = await addDeliveries(transaction, [row]);
            if (inserted === 0) continue;
          }
          await sendJob(transaction, queues, delivery.userId, { id: found?.id ?? delivery.id, begunAt: now });
        }
      });
    },

    async acquire(job) {
      const [row] = await db
        .update(deliveries)
        .set({ status: "sending", attempt: sql`${attempt} + 1`, retryAt: null })
        .where(and(eq(id, job.id), eq(begunAt, job.begunAt), isRunning, isReachable))
        .returning();
      return row && withoutNulls(row);
    },

    async save(delivery, changes) {
      const values = Object.fromEntries(Object.entries(changes).map(([name, value]) => [name, value ?? null]));
      const isAttempt = and(eq(id, delivery.id), eq(attempt, delivery.attempt), eq(status, "sending"), isReachable);
      return (await db.update(deliveries).set(values).where(isAttempt).returning({ id })).length > 0;
    },
  });
