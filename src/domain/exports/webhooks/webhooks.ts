import { DomainError, type ErrorCode, isDomainError } from "../../../errors.ts";
import { RetryAfterError } from "../../../platform/retry-after.ts";
import type { Services } from "../../services.ts";
import { newId } from "../../shared/ids.ts";
import { requireFound } from "../../shared/versioned.ts";
import { type ExportJob, hasEnded } from "../jobs.ts";
import { shownExport } from "../view.ts";
import type { WebhookRequest } from "./schema.ts";
import { webhookHeaders } from "./signature.ts";

/** Where the end of an export is told; the secret is sealed. */
export type Webhook = { readonly url: string; readonly secret?: string };

/** The end of an export in words; over all tries it keeps its id, so that whoever hears it twice can tell. */
export type WebhookEvent = { readonly id: string; readonly type: string; readonly body: string };

/** An event on its way: all that sending it takes, because its export may be gone by then. */
export type WebhookDelivery = Webhook &
  Pick<WebhookEvent, "id" | "body"> & {
    readonly exportId: string;
    /** Goes up by one when it is sent anew: only the last one goes on. */
    readonly round: number;
    readonly beganAt: number;
  };

/** `gone` is what a server says that wants no more; `unsigned`, that its secret cannot be read any more. */
export const webhookOutcomes = ["delivered", "refused", "gone", "unreachable", "not_allowed", "unsigned"] as const;
export type WebhookOutcome = (typeof webhookOutcomes)[number];

/** One try. What was answered beyond the status is nobody's business. */
export type WebhookAttempt = {
  readonly at: number;
  readonly milliseconds: number;
  readonly outcome: WebhookOutcome;
  readonly status?: number;
  readonly reason?: string;
  /** So long a receiver that is busy asked not to be asked again, as far as that is heeded. */
  readonly retryAfterSeconds?: number;
};

/** `waiting` for the export to end. */
export type WebhookState = "waiting" | "pending" | "delivered" | "failed";

export type WebhookLog = Webhook & {
  readonly state: WebhookState;
  readonly event?: Pick<WebhookEvent, "id" | "type">;
  /** Newest first. */
  readonly attempts: readonly WebhookAttempt[];
};

/** Events are put on their way by whoever ends an export, with its end. */
export type WebhookStore = {
  find(exportId: string): Promise<WebhookLog | undefined>;
  /** Sends the event of an ended export anew. */
  replay(exportId: string, userId: string, now: number): Promise<void>;
  /** False once it is delivered, given up, or sent anew. */
  isWanted(delivery: WebhookDelivery): Promise<boolean>;
  note(delivery: WebhookDelivery, attempt: WebhookAttempt, state: WebhookState): Promise<void>;
};

export const webhookUrlPath = "webhook.url";
const longestMs = 24 * 60 * 60 * 1000;
const longestPauseSeconds = 60 * 60;

/** A webhook as it is kept. Throws url_not_allowed, or url_unreachable for a name that nobody knows. */
export async function acceptWebhook(
  { fetcher, secretBox }: Pick<Services, "fetcher" | "secretBox">,
  { url, secret }: WebhookRequest,
): Promise<Webhook> {
  await fetcher.lookUp(url, { path: webhookUrlPath });
  return { url, ...(secret !== undefined && { secret: secretBox.seal(secret) }) };
}

export function endEvent(job: ExportJob): WebhookEvent {
  const type = `export.${job.status}`;
  const timestamp = new Date(job.finishedAt ?? job.createdAt).toISOString();
  return { id: newId("evt"), type, body: JSON.stringify({ type, timestamp, data: shownExport(job) }) };
}

export async function requireWebhook(webhooks: WebhookStore, { id }: ExportJob): Promise<WebhookLog> {
  return requireFound(await webhooks.find(id));
}

/** Sends the event of an export that has ended anew: other tries of it stop. */
export async function replayWebhook(webhooks: WebhookStore, job: ExportJob): Promise<WebhookLog> {
  await requireWebhook(webhooks, job);
  if (!hasEnded(job)) throw new DomainError("not_ready", {});
  await webhooks.replay(job.id, job.userId, Date.now());
  return await requireWebhook(webhooks, job);
}

/** One try at a delivery. Throws when another is to follow. */
export async function deliverWebhook(services: Services, data: string, signal: AbortSignal): Promise<void> {
  // safe because it is what `sendEvent` of the storage wrote
  const delivery = JSON.parse(data) as WebhookDelivery;
  if (!(await services.webhooks.isWanted(delivery))) return;
  const attempt = await tryOnce(services, delivery, signal);
  const state = stateAfter(attempt, delivery);
  await services.webhooks.note(delivery, attempt, state);
  if (state !== "pending") return;
  const [message, pauseSeconds] = ["The webhook was not delivered.", attempt.retryAfterSeconds];
  throw pauseSeconds === undefined ? new Error(message) : new RetryAfterError(message, pauseSeconds);
}

async function tryOnce(services: Services, delivery: WebhookDelivery, signal: AbortSignal): Promise<WebhookAttempt> {
  const at = Date.now();
  const answered = await send(services, delivery, at, signal);
  return { at, milliseconds: Date.now() - at, ...answered };
}

type Answered = Omit<WebhookAttempt, "at" | "milliseconds">;

async function send(
  { fetcher, secretBox }: Services,
  { url, id, body, beganAt, secret: sealed }: WebhookDelivery,
  at: number,
  signal: AbortSignal,
): Promise<Answered> {
  const secret = sealed && secretBox.open(sealed);
  if (sealed && secret === undefined) return { outcome: "unsigned" };
  const signed = webhookHeaders({ id, timestampSeconds: Math.floor(at / 1000), body }, secret);
  const message = { headers: { "content-type": "application/json", ...signed }, body };
  try {
    const { status, retryAfterSeconds } = await fetcher.post(url, message, { path: webhookUrlPath, signal });
    const pause = isBusy(status) ? pauseFor(retryAfterSeconds, at - beganAt) : undefined;
    return { status, outcome: outcomeOf(status), ...(pause !== undefined && { retryAfterSeconds: pause }) };
  } catch (error) {
    if (!isDomainError(error)) throw error;
    return { outcome: outcomes[error.code] ?? "unreachable", reason: error.message };
  }
}

const outcomes: { readonly [Code in ErrorCode]?: WebhookOutcome } = { url_not_allowed: "not_allowed" };

function outcomeOf(status: number): WebhookOutcome {
  if (status >= 200 && status < 300) return "delivered";
  return status === 410 ? "gone" : "refused";
}

const isBusy = (status: number): boolean => status === 429 || status === 503;

/** In whole seconds, as far as it is heeded: at most an hour, and the last try still has its turn. */
function pauseFor(asked: number | undefined, sinceBeganMs: number): number | undefined {
  if (asked === undefined) return undefined;
  const leftSeconds = Math.max(0, (longestMs - sinceBeganMs) / 1000);
  return Math.ceil(Math.min(asked, longestPauseSeconds, leftSeconds));
}

/** It is tried for a day, unless trying again is of no use. */
export function stateAfter({ at, outcome }: WebhookAttempt, { beganAt }: Pick<WebhookDelivery, "beganAt">) {
  if (outcome === "delivered") return "delivered";
  const isHopeless = outcome === "gone" || outcome === "unsigned" || at - beganAt >= longestMs;
  return isHopeless ? "failed" : "pending";
}
