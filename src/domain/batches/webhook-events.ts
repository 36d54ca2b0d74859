import { type WebhookEvent, webhookEvent } from "../exports/webhooks/webhooks.ts";
import type { Batch, BatchItem, ItemChanges } from "./batch.ts";
import type { BatchState } from "./states.ts";
import { batchView, type ItemFilm, type ItemUrls, itemView } from "./view.ts";

export const batchEventTypes = ["batch.validated", "batch.done"] as const;
export type BatchEventType = (typeof batchEventTypes)[number];

export const batchFilmEventTypes = ["batch.film.done", "batch.film.error"] as const;
export type BatchFilmEventType = (typeof batchFilmEventTypes)[number];

/** The event of a change, if any. `batch.done` reports every end except the cancellation by the owner. */
export function eventOfBatch(before: Batch, after: Batch): BatchEventType | undefined {
  if (before.status === after.status) return undefined;
  if (before.status === "validating" && after.status === "running") return "batch.validated";
  return after.status === "done" || after.status === "partial" || after.status === "error" ? "batch.done" : undefined;
}

export const eventOfItem = ({ status }: ItemChanges): BatchFilmEventType | undefined =>
  status === "done" || status === "error" ? `batch.film.${status}` : undefined;

export const batchEvent = (batch: BatchState, type: BatchEventType): WebhookEvent =>
  webhookEvent(type, batch.endedAt ?? batch.updatedAt, batchView(batch, batch.counts, batch.spend));

export const batchFilmEvent = (
  urls: ItemUrls,
  { projectId, updatedAt }: Pick<Batch, "projectId" | "updatedAt">,
  item: BatchItem,
  type: BatchFilmEventType,
  film: ItemFilm,
): WebhookEvent => webhookEvent(type, updatedAt, { projectId, batchId: item.batchId, ...itemView(item, urls, film) });
