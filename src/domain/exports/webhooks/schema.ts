import { z } from "zod";
import { named, optional } from "../../shared/schemas.ts";
import { isWebhookSecret } from "./signature.ts";

export const WebhookSecret = z
  .string()
  .max(512)
  .refine(isWebhookSecret, "Must be whsec_ and 24 to 64 bytes in base64, or 24 to 512 characters of your own.")
  .describe(
    "Signs each request as Standard Webhooks defines: webhook-signature is v1 and the base64 HMAC-SHA256 of <webhook-id>.<webhook-timestamp>.<body>. " +
      "After whsec_ the key is base64; any other secret is used as the key itself. Without a secret, requests are not signed.",
  );

export const WebhookRequest = named(
  "WebhookRequest",
  z.object({
    url: z.string().max(2048).describe("An http or https URL of a server on the public network."),
    secret: optional(WebhookSecret),
  }),
  {
    description:
      "Of an export it receives export.done, export.error or export.cancelled, of a film film.waiting, film.done and film.error, of a batch batch.validated, batch.film.done, batch.film.error and batch.done, as { type, timestamp, data }: data is the export, the film or the batch as its GET returns it. " +
      "Any 2xx response within 10 seconds ends delivery, and so does 410; other responses are retried for 24 hours under the same webhook-id. " +
      "A Retry-After header on 429 or 503 postpones the next attempt, by one hour at most. " +
      "Without a secret, fetch the export or the film before you trust the request.",
  },
);

export type WebhookRequest = z.output<typeof WebhookRequest>;
