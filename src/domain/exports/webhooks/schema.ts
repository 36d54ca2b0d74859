import { z } from "zod";
import { optional } from "../../shared/schemas.ts";
import { ExportRequest } from "../schema.ts";
import { isWebhookSecret } from "./signature.ts";

const Secret = z
  .string()
  .max(512)
  .refine(isWebhookSecret, "Must be whsec_ and 24 to 64 bytes in base64, or 24 to 512 characters of your own.")
  .meta({
    description:
      "Signs as Standard Webhooks say: webhook-signature is v1 and the base64 HMAC-SHA256 of <webhook-id>.<webhook-timestamp>.<body>. " +
      "After whsec_ the key is base64; any other secret is the key as it stands. Without one nothing is signed.",
  });

/** Where the end of an export is told. */
export const Webhook = z
  .object({
    url: z.string().max(2048).meta({ description: "Of a server on the public network: http or https." }),
    secret: optional(Secret),
  })
  .meta({
    description:
      "Hears export.done, export.error or export.cancelled once, as { type, timestamp, data }: data is the export as GET /api/exports/:id shows it. " +
      "Any 2xx within 10 seconds ends the tries, and so does 410; otherwise it is tried for 24 hours under the same webhook-id. " +
      "A Retry-After on 429 or 503 puts the next try off, by an hour at most. " +
      "Without a secret ask for the export before you believe what you hear.",
  });

/** An export that nobody waits for, and whom to tell of its end. */
export const AsyncExportRequest = ExportRequest.extend({ webhook: optional(Webhook) });

export type AsyncExportRequest = z.output<typeof AsyncExportRequest>;
export type WebhookRequest = z.output<typeof Webhook>;
