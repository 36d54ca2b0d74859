import type { Batch, BatchItem, ItemChanges, ItemCounts } from "../../domain/batches/batch.ts";
import type { BatchState } from "../../domain/batches/states.ts";
import type { ItemFilm } from "../../domain/batches/view.ts";
import {
  type BatchEventType,
  type BatchFilmEventType,
  eventOfBatch,
  eventOfItem,
} from "../../domain/batches/webhook-events.ts";
import type { WebhookEvent } from "../../domain/exports/webhooks/webhooks.ts";
import type { Database } from "../database/database.ts";
import { type Queues, sendDelivery } from "../exports/outbox.ts";
import { readSpendOf } from "../ledger/film-spend.ts";

type Told = Pick<Batch, "projectId" | "userId" | "updatedAt" | "webhook" | "order">;

/** Enqueues events in the transactions of their changes, if the batch has a webhook. */
export type BatchOutbox = {
  /** Call before the transaction, for the same reason as JobQueues.ready. */
  ready(): Promise<void>;
  enqueueChange(
    transaction: Database,
    before: Batch,
    after: Batch,
    readCounts: () => Promise<ItemCounts | undefined>,
  ): Promise<void>;
  enqueueFilm(transaction: Database, batch: Told, item: BatchItem, changes: ItemChanges): Promise<void>;
};

/** Builds the events: storage does not know their content. */
type ToEvent = {
  readonly ofBatch: (batch: BatchState, type: BatchEventType) => WebhookEvent;
  readonly ofFilm: (batch: Told, item: BatchItem, type: BatchFilmEventType, film: ItemFilm) => WebhookEvent;
};

export function batchOutbox(queues: Queues, { ofBatch, ofFilm }: ToEvent): BatchOutbox {
  const send = async (transaction: Database, batch: Told, { id, body }: WebhookEvent) => {
    const { projectId, userId, webhook, updatedAt: beganAt } = batch;
    if (!webhook) return;
    await sendDelivery(transaction, queues, userId, { ...webhook, projectId, id, body, round: 1, beganAt });
  };
  return {
    ready: () => queues.ready(),

    async enqueueChange(transaction, before, after, readCounts) {
      const type = after.webhook && eventOfBatch(before, after);
      if (!type) return;
      const spend = (await readSpendOf(transaction, "batch", [after.id])).get(after.id);
      await send(transaction, after, ofBatch({ ...after, counts: await readCounts(), spend }, type));
    },

    async enqueueFilm(transaction, batch, item, changes) {
      const type = batch.webhook && eventOfItem(changes);
      if (!type) return;
      const { filmId, target } = item;
      const spend = filmId === undefined ? undefined : await readSpendOf(transaction, "film", [filmId]);
      const isFirst = target === batch.order.targets[0];
      const cost = (isFirst && filmId && spend?.get(filmId)?.spent) || 0n;
      await send(transaction, batch, ofFilm(batch, item, type, { cost }));
    },
  };
}
