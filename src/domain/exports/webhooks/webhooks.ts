import { DomainError } from "../../../errors.ts";
import type { SecretBox } from "../../accounts/secrets.ts";
import type { Fetcher } from "../../files/fetcher.ts";
import { newId } from "../../shared/ids.ts";
import { requireFound } from "../../shared/versioned.ts";
import type { WebhookRequest } from "./schema.ts";

/** The receiver of the events of an export or a film; `secret` is encrypted. */
export type Webhook = { readonly url: string; readonly secret?: string };

/** `id` is the same in every attempt, so that receivers can discard duplicates. */
export type WebhookEvent = { readonly id: string; readonly type: string; readonly body: string };

export const webhookEvent = (type: string, at: number, data: object): WebhookEvent => ({
  id: newId("evt"),
  type,
  body: JSON.stringify({ type, timestamp: new Date(at).toISOString(), data }),
});

/** An event in the delivery queue. It is complete, because its subject may be removed before it is sent. */
export type WebhookDelivery = Webhook &
  Pick<WebhookEvent, "id" | "body"> & {
    /** Absent in the events of films, whose attempts are not recorded. */
    readonly exportId?: string;
    /** Absent in deliveries queued by an earlier version. */
    readonly projectId?: string;
    /** Incremented by each replay: attempts of earlier rounds stop. */
    readonly round: number;
    /** Start of this round, in milliseconds since the epoch. */
    readonly beganAt: number;
  };

/** `gone`: the receiver responded 410. `unsigned`: the secret can no longer be decrypted. */
export const webhookOutcomes = ["delivered", "refused", "gone", "unreachable", "not_allowed", "unsigned"] as const;
export type WebhookOutcome = (typeof webhookOutcomes)[number];

/** One delivery attempt. Only the status of the response is stored. */
export type WebhookAttempt = {
  readonly at: number;
  readonly milliseconds: number;
  readonly outcome: WebhookOutcome;
  readonly status?: number;
  readonly reason?: string;
  /** The delay that the receiver requested with Retry-After, limited to what the service accepts. */
  readonly retryAfterSeconds?: number;
};

/** `waiting`: the export has not ended yet. */
export const webhookStates = ["waiting", "pending", "delivered", "failed"] as const;
export type WebhookState = (typeof webhookStates)[number];

export type WebhookLog = Webhook & {
  readonly state: WebhookState;
  readonly event?: Pick<WebhookEvent, "id" | "type">;
  /** The newest first. */
  readonly attempts: readonly WebhookAttempt[];
};

/** Events are enqueued by the store that ends the export, in the same transaction (transactional outbox). */
export type WebhookStore = {
  find(exportId: string): Promise<WebhookLog | undefined>;
  /** Starts a new round for the event of an ended export. */
  replay(exportId: string, userId: string, now: number): Promise<void>;
  /** False if the event was delivered or has failed, or if a newer round exists. */
  isPending(delivery: WebhookDelivery): Promise<boolean>;
  recordAttempt(delivery: WebhookDelivery, attempt: WebhookAttempt, state: WebhookState): Promise<void>;
};

/** The request field in errors about the URL. */
export const webhookUrlField = "webhook.url";

export type AcceptWebhookPorts = {
  readonly fetcher: Pick<Fetcher, "resolveHost">;
  readonly secretBox: Pick<SecretBox, "seal">;
};

/** Checks the URL and encrypts the secret. Throws url_not_allowed, or url_unreachable for an unknown host name. */
export async function acceptWebhook(
  { fetcher, secretBox }: AcceptWebhookPorts,
  { url, secret }: WebhookRequest,
): Promise<Webhook> {
  await fetcher.resolveHost(url, { path: webhookUrlField });
  return { url, ...(secret !== undefined && { secret: secretBox.seal(secret) }) };
}

export async function requireWebhook(webhooks: WebhookStore, exportId: string): Promise<WebhookLog> {
  return requireFound(await webhooks.find(exportId));
}

/** Sends the event of an ended export again and stops earlier attempts. Throws not_ready before the end. */
export async function replayWebhook(
  webhooks: WebhookStore,
  { id, userId }: { readonly id: string; readonly userId: string },
): Promise<WebhookLog> {
  const { state } = await requireWebhook(webhooks, id);
  if (state === "waiting") throw new DomainError("not_ready", {});
  await webhooks.replay(id, userId, Date.now());
  return await requireWebhook(webhooks, id);
}
