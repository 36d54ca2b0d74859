import { eq } from "drizzle-orm";
import { type ExportState, hasEnded } from "../../domain/exports/lifecycle/jobs.ts";
import type { Webhook, WebhookDelivery, WebhookEvent } from "../../domain/exports/webhooks/webhooks.ts";
import type { Render } from "../../domain/renders/renders.ts";
import type { Database } from "../database/database.ts";
import { withoutNulls } from "../database/rows.ts";
import { enqueueDeliveries } from "../destinations/deliveries.ts";
import type { JobQueues } from "../queue/job-queue.ts";
import { exportWebhooks } from "../tables/exports.ts";
import { renders } from "../tables/renders.ts";
import { type ExportRow, toExportJob } from "./job-rows.ts";

export type Queues = Pick<JobQueues, "ready" | "send">;

/**
 * A transactional outbox: its events are enqueued inside the transaction that ends exports, so both happen or neither.
 * Each enqueueing method returns the ended exports, for `reportEnds`.
 */
export type WebhookOutbox = {
  /** Call before the transaction, for the same reason as JobQueues.ready. */
  ready(): Promise<void>;
  register(transaction: Database, exportId: string, webhook: Webhook): Promise<void>;
  /** Enqueues the event of an ended export if it has a webhook. */
  enqueueEnd(transaction: Database, job: ExportState): Promise<Ended>;
  /** Enqueues export.cancelled for the unfinished exports among the rows. */
  enqueueCancelled(transaction: Database, rows: readonly ExportRow[], now: number): Promise<Ended>;
  /** Call after the commit: an end that is rolled back did not happen. */
  reportEnds(ended: Ended): void;
};

type Ended = readonly ExportState[];

/**
 * `toEndEvent` knows the content of events, storage does not; it receives the render that the export is of, if any.
 * `onEnd` receives every export that has ended.
 */
export function webhookOutbox(
  queues: Queues,
  toEndEvent: (job: ExportState, render?: Render) => WebhookEvent,
  onEnd: (job: ExportState) => void = () => {},
): WebhookOutbox {
  const enqueueEvent = async (transaction: Database, job: ExportState): Promise<void> => {
    const { exportId, url, secret } = exportWebhooks;
    const [webhook] = await transaction.select({ url, secret }).from(exportWebhooks).where(eq(exportId, job.id));
    if (!webhook) return;
    const [render] = await transaction.select().from(renders).where(eq(renders.exportId, job.id));
    const { id, type, body } = toEndEvent(job, render && withoutNulls(render));
    const round = 1;
    await transaction
      .update(exportWebhooks)
      .set({ state: "pending", round, eventId: id, eventType: type, body })
      .where(eq(exportId, job.id));
    const beganAt = job.finishedAt ?? Date.now();
    const delivery = { ...withoutNulls(webhook), exportId: job.id, projectId: job.projectId, id, body, round, beganAt };
    await sendDelivery(transaction, queues, job.userId, delivery);
  };

  const enqueueEnd: WebhookOutbox["enqueueEnd"] = async (transaction, job) => {
    await enqueueEvent(transaction, job);
    await enqueueDeliveries(transaction, queues, job, job.finishedAt ?? Date.now());
    return [job];
  };

  const enqueueCancelled: WebhookOutbox["enqueueCancelled"] = async (transaction, rows, now) => {
    const ended: ExportState[] = [];
    for (const row of rows.filter((each) => !hasEnded(each))) {
      ended.push(...(await enqueueEnd(transaction, { ...toExportJob(row), status: "cancelled", finishedAt: now })));
    }
    return ended;
  };

  return {
    ready: () => queues.ready(),

    async register(transaction, exportId, webhook) {
      await transaction.insert(exportWebhooks).values({ exportId, ...webhook, state: "waiting", round: 0 });
    },

    enqueueEnd,
    enqueueCancelled,

    reportEnds(ended) {
      for (const job of ended) onEnd(job);
    },
  };
}

export const sendDelivery = (
  transaction: Database,
  queues: Queues,
  userId: string,
  delivery: WebhookDelivery,
): Promise<void> => queues.send("webhooks", transaction, JSON.stringify(delivery), { group: userId });
