import type { WebhookEvent } from "../../domain/exports/webhooks/webhooks.ts";
import type { Film } from "../../domain/films/film.ts";
import type { FilmState } from "../../domain/films/states.ts";
import { eventOfChange, type FilmEventType } from "../../domain/films/webhook-events.ts";
import type { Database } from "../database/database.ts";
import { type Queues, sendDelivery } from "../exports/outbox.ts";
import { readFilmSpend } from "../ledger/film-spend.ts";

export type FilmOutbox = {
  /** Enqueues the event with the change if the film has a webhook. Returns the film with its record of it. */
  enqueueChange(transaction: Database, before: Film, after: Film): Promise<Film>;
};

/** `toEvent` builds the event of a film: storage does not know its content. */
export const filmOutbox = (
  queues: Queues,
  toEvent: (film: FilmState, type: FilmEventType) => WebhookEvent,
): FilmOutbox => ({
  async enqueueChange(transaction, before, after) {
    const event = eventOfChange(before, after);
    if (!event) return after;
    const { toldAt: _, ...receiver } = event.webhook;
    const film = { ...after, spend: await readFilmSpend(transaction, after.id) };
    const { id, body } = toEvent(film, event.type);
    const delivery = { ...receiver, projectId: after.projectId, id, body, round: 1, beganAt: after.updatedAt };
    await sendDelivery(transaction, queues, after.userId, delivery);
    return { ...after, webhook: event.webhook };
  },
});
