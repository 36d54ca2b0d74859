import { and, eq, inArray } from "drizzle-orm";
import type { ExportJob, ExportStatus } from "../../domain/exports/jobs.ts";
import { endEvent, type Webhook, type WebhookDelivery } from "../../domain/exports/webhooks/webhooks.ts";
import type { Database } from "../database/database.ts";
import { exportJobs, exportWebhooks } from "../database/export-tables.ts";
import type { JobQueues } from "../database/job-queue.ts";
import { withoutNulls } from "../database/rows.ts";

export type Queues = Pick<JobQueues, "ready" | "send">;

export const unfinished: readonly ExportStatus[] = ["queued", "rendering"];

/** Puts the end of an export on its way, in the transaction that ends it: neither is there without the other. */
export async function enqueueEndEvent(transaction: Database, queues: Queues, job: ExportJob): Promise<void> {
  const { exportId, url, secret } = exportWebhooks;
  const [found] = await transaction.select({ url, secret }).from(exportWebhooks).where(eq(exportId, job.id));
  if (!found) return;
  const { id, type, body } = endEvent(job);
  const round = 1;
  await transaction
    .update(exportWebhooks)
    .set({ state: "pending", round, eventId: id, eventType: type, body })
    .where(eq(exportId, job.id));
  const beganAt = job.finishedAt ?? Date.now();
  await sendEvent(transaction, queues, job.userId, {
    ...withoutNulls(found),
    exportId: job.id,
    id,
    body,
    round,
    beganAt,
  });
}

export const sendEvent = (
  transaction: Database,
  queues: Queues,
  userId: string,
  delivery: WebhookDelivery,
): Promise<void> => queues.send("webhooks", transaction, JSON.stringify(delivery), userId);

/** The same for exports that go before they have ended. */
export async function enqueueRemovedEvents(
  transaction: Database,
  queues: Queues,
  jobs: readonly (typeof exportJobs.$inferSelect)[],
  now: number,
): Promise<void> {
  for (const job of jobs.filter(({ status }) => unfinished.includes(status))) {
    await enqueueEndEvent(transaction, queues, {
      ...withoutNulls(job),
      files: [],
      status: "cancelled",
      finishedAt: now,
    });
  }
}

/** Held until the transaction ends, so that no worker ends them meanwhile. */
export const lockUnfinishedOf = (transaction: Database, projectId: string) =>
  transaction
    .select()
    .from(exportJobs)
    .where(and(eq(exportJobs.projectId, projectId), inArray(exportJobs.status, [...unfinished])))
    .for("update");

export const addWebhook = async (transaction: Database, exportId: string, webhook: Webhook): Promise<void> =>
  void (await transaction.insert(exportWebhooks).values({ exportId, ...webhook, state: "waiting", round: 0 }));
