import { type WebhookEvent, webhookEvent } from "../exports/webhooks/webhooks.ts";
import { type Film, type FilmWebhook, isPolled } from "./film.ts";
import type { FilmState } from "./states.ts";
import { filmView, type PricePorts } from "./view.ts";

export const filmEventTypes = ["film.waiting", "film.done", "film.error"] as const;
export type FilmEventType = (typeof filmEventTypes)[number];

/** The event of a change, and the state to store for it. Undefined without an event. */
export function eventOfChange(
  before: Film,
  after: Film,
): { readonly type: FilmEventType; readonly webhook: FilmWebhook } | undefined {
  const { webhook, status, waitingFor, waitingAt } = after;
  if (!webhook || (status !== "waiting" && status !== "done" && status !== "error")) return undefined;
  const isSame = before.status === status && before.waitingFor === waitingFor && before.waitingAt === waitingAt;
  if (isSame) return undefined;
  const type = `film.${status}` as const;
  if (!isPolled(waitingFor)) return { type, webhook };
  // one event for all polls until a step is done
  const toldAt = after.steps.filter((step) => step.status === "done").length;
  return webhook.toldAt === toldAt ? undefined : { type, webhook: { ...webhook, toldAt } };
}

export const filmEvent = (ports: PricePorts, film: FilmState, type: FilmEventType): WebhookEvent =>
  webhookEvent(type, film.endedAt ?? film.updatedAt, filmView(ports, film, film.spend));
