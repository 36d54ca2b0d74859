import { createHmac } from "node:crypto";

const base64Secret = /^whsec_([A-Za-z0-9+/]+={0,2})$/;

const minCharacters = 24;
const keyBytes = { min: 24, max: 64 };

/** The HMAC key of a secret: base64 after `whsec_`, otherwise the secret's own UTF-8 bytes. */
export function keyOfSecret(secret: string): Buffer {
  const [, encoded] = base64Secret.exec(secret) ?? [];
  return encoded === undefined ? Buffer.from(secret, "utf8") : Buffer.from(encoded, "base64");
}

/** True if the secret is long enough to resist guessing and, after `whsec_`, valid base64. */
export function isWebhookSecret(secret: string): boolean {
  if (!secret.startsWith("whsec_")) return secret.length >= minCharacters;
  const { byteLength } = keyOfSecret(secret);
  return base64Secret.test(secret) && byteLength >= keyBytes.min && byteLength <= keyBytes.max;
}

type WebhookMessage = { readonly id: string; readonly timestampSeconds: number; readonly body: string };

/** The headers that Standard Webhooks defines for a message; without a secret there is no signature. */
export function webhookHeaders(
  { id, timestampSeconds, body }: WebhookMessage,
  secret?: string,
): Record<string, string> {
  const headers = { "webhook-id": id, "webhook-timestamp": `${timestampSeconds}` };
  if (secret === undefined) return headers;
  const signature = createHmac("sha256", keyOfSecret(secret))
    .update(`${id}.${timestampSeconds}.${body}`)
    .digest("base64");
  return { ...headers, "webhook-signature": `v1,${signature}` };
}
