import { type ErrorCode, isDomainError } from "../../../errors.ts";
import { RetryAfterError } from "../../../platform/async.ts";
import type { SecretBox } from "../../accounts/secrets.ts";
import type { Fetcher } from "../../files/fetcher.ts";
import { webhookHeaders } from "./signature.ts";
import {
  type WebhookAttempt,
  type WebhookDelivery,
  type WebhookOutcome,
  type WebhookStore,
  webhookUrlField,
} from "./webhooks.ts";

const maxDeliveryMs = 24 * 60 * 60 * 1000;
const maxRetryAfterSeconds = 60 * 60;

type DeliverWebhookPorts = {
  readonly webhooks: Pick<WebhookStore, "isPending" | "recordAttempt">;
  readonly fetcher: Pick<Fetcher, "post">;
  readonly secretBox: Pick<SecretBox, "open">;
};

/** Job handler: makes one delivery attempt. Throws if the queue must retry; `data` is a WebhookDelivery in JSON. */
export async function deliverWebhook(ports: DeliverWebhookPorts, data: string, signal: AbortSignal): Promise<void> {
  // safe because the outbox enqueues nothing else
  const delivery = JSON.parse(data) as WebhookDelivery;
  if (!(await ports.webhooks.isPending(delivery))) return;

  const attempt = await attemptDelivery(ports, delivery, signal);
  const state = stateAfter(attempt, delivery);
  await ports.webhooks.recordAttempt(delivery, attempt, state);
  if (state !== "pending") return;

  const message = "The webhook was not delivered.";
  const { retryAfterSeconds } = attempt;
  throw retryAfterSeconds === undefined ? new Error(message) : new RetryAfterError(message, retryAfterSeconds);
}

async function attemptDelivery(
  ports: DeliverWebhookPorts,
  delivery: WebhookDelivery,
  signal: AbortSignal,
): Promise<WebhookAttempt> {
  const at = Date.now();
  const result = await send(ports, delivery, at, signal);
  return { at, milliseconds: Date.now() - at, ...result };
}

type SendResult = Omit<WebhookAttempt, "at" | "milliseconds">;

async function send(
  { fetcher, secretBox }: DeliverWebhookPorts,
  { url, id, body, beganAt, secret: sealed }: WebhookDelivery,
  at: number,
  signal: AbortSignal,
): Promise<SendResult> {
  const secret = sealed && secretBox.open(sealed);
  if (sealed && secret === undefined) return { outcome: "unsigned" };
  const signed = webhookHeaders({ id, timestampSeconds: Math.floor(at / 1000), body }, secret);
  const message = { headers: { "content-type": "application/json", ...signed }, body };
  try {
    const { status, retryAfterSeconds } = await fetcher.post(url, message, { path: webhookUrlField, signal });
    const delay = isBusy(status) ? acceptedDelay(retryAfterSeconds, at - beganAt) : undefined;
    return { status, outcome: outcomeOfStatus(status), ...(delay !== undefined && { retryAfterSeconds: delay }) };
  } catch (error) {
    if (!isDomainError(error)) throw error;
    return { outcome: outcomeOfError[error.code] ?? "unreachable", reason: error.message };
  }
}

const outcomeOfError: { readonly [Code in ErrorCode]?: WebhookOutcome } = { url_not_allowed: "not_allowed" };

function outcomeOfStatus(status: number): WebhookOutcome {
  if (status >= 200 && status < 300) return "delivered";
  return status === 410 ? "gone" : "refused";
}

const isBusy = (status: number): boolean => status === 429 || status === 503;

/** Whole seconds: one hour at most, and short enough to leave time for a last attempt. */
function acceptedDelay(requestedSeconds: number | undefined, elapsedMs: number): number | undefined {
  if (requestedSeconds === undefined) return undefined;
  const remainingSeconds = Math.max(0, (maxDeliveryMs - elapsedMs) / 1000);
  return Math.ceil(Math.min(requestedSeconds, maxRetryAfterSeconds, remainingSeconds));
}

/** Retries continue for 24 hours, unless no retry can succeed. */
export function stateAfter({ at, outcome }: WebhookAttempt, { beganAt }: Pick<WebhookDelivery, "beganAt">) {
  if (outcome === "delivered") return "delivered";
  const isFinal = outcome === "gone" || outcome === "unsigned" || at - beganAt >= maxDeliveryMs;
  return isFinal ? "failed" : "pending";
}
