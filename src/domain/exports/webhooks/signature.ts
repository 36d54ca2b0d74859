import { createHmac } from "node:crypto";

const base64Secret = /^whsec_([A-Za-z0-9+/]+={0,2})$/;

const leastCharacters = 24;
const keyBytes = { least: 24, most: 64 };

/** The key that a secret stands for: of one as Standard Webhooks write it, what is in it. */
function keyOf(secret: string): Buffer {
  const [, encoded] = base64Secret.exec(secret) ?? [];
  return encoded === undefined ? Buffer.from(secret, "utf8") : Buffer.from(encoded, "base64");
}

/** Whether it is long enough that nobody guesses it, and says what it seems to say. */
export function isWebhookSecret(secret: string): boolean {
  if (!secret.startsWith("whsec_")) return secret.length >= leastCharacters;
  const { byteLength } = keyOf(secret);
  return base64Secret.test(secret) && byteLength >= keyBytes.least && byteLength <= keyBytes.most;
}

type Signed = { readonly id: string; readonly timestampSeconds: number; readonly body: string };

/** The headers of Standard Webhooks; without a secret there is no signature. */
export function webhookHeaders({ id, timestampSeconds, body }: Signed, secret?: string): Record<string, string> {
  const headers = { "webhook-id": id, "webhook-timestamp": `${timestampSeconds}` };
  if (secret === undefined) return headers;
  const signature = createHmac("sha256", keyOf(secret)).update(`${id}.${timestampSeconds}.${body}`).digest("base64");
  return { ...headers, "webhook-signature": `v1,${signature}` };
}
