import { Hono } from "hono";
import { replayWebhook, requireWebhook, type WebhookLog } from "../../../domain/exports/webhooks/webhooks.ts";
import type { Services } from "../../../domain/services.ts";
import type { AppEnv } from "../../app-env.ts";
import { requireExportScopes, requireOwnState } from "./access.ts";

/** Delivery status and manual replay of an export's webhook. */
export const exportWebhookRoutes = ({ exports, webhooks }: Services) =>
  new Hono<AppEnv>()
    .get("/:exportId/webhook", requireExportScopes(), async (c) => {
      const { id } = await requireOwnState(exports, c);
      return c.json(webhookView(await requireWebhook(webhooks, id)), 200);
    })
    .post("/:exportId/webhook/replay", requireExportScopes(), async (c) => {
      const job = await requireOwnState(exports, c);
      return c.json(webhookView(await replayWebhook(webhooks, job)), 202);
    });

/** Of the secret only whether there is one. */
const webhookView = ({ url, secret, state, event, attempts }: WebhookLog) => ({
  url,
  signed: secret !== undefined,
  state,
  event,
  attempts,
});
