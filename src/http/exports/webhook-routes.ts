import { Hono } from "hono";
import { replayWebhook, requireWebhook, type WebhookLog } from "../../domain/exports/webhooks/webhooks.ts";
import type { Services } from "../../services.ts";
import { json } from "../answers.ts";
import type { AppEnv } from "../app-env.ts";
import { operationsOf } from "../openapi.ts";
import { requireExportScopes, requireOwnState } from "./access.ts";
import { WebhookLog as WebhookLogSchema } from "./views.ts";

const documented = operationsOf("Exports");

/** Delivery status and manual replay of an export's webhook. */
export const exportWebhookRoutes = ({ exports, webhooks }: Services) =>
  new Hono<AppEnv>()
    .get(
      "/:exportId/webhook",
      documented(requireExportScopes(), {
        id: "getWebhook",
        summary: "Read the deliveries of a webhook",
        about: "Returns the state of the export's webhook and its attempts, newest first.",
        answers: { 200: json(WebhookLogSchema, "The deliveries.") },
        errors: ["not_found"],
      }),
      async (c) => {
        const { id } = await requireOwnState(exports, c);
        return c.json(webhookView(await requireWebhook(webhooks, id)), 200);
      },
    )
    .post(
      "/:exportId/webhook/replay",
      documented(requireExportScopes(), {
        id: "replayWebhook",
        summary: "Deliver a webhook again",
        about: "Sends the event of an ended export once more, with the same id. Pending attempts are dropped.",
        answers: { 202: json(WebhookLogSchema, "The delivery has begun.") },
        errors: ["not_found", "not_ready"],
      }),
      async (c) => {
        const job = await requireOwnState(exports, c);
        return c.json(webhookView(await replayWebhook(webhooks, job)), 202);
      },
    );

/** Shows whether there is a secret, but not the secret. */
const webhookView = ({ url, secret, state, event, attempts }: WebhookLog) => ({
  url,
  signed: secret !== undefined,
  state,
  event,
  attempts,
});
