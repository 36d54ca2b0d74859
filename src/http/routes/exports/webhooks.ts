import { type Context, Hono } from "hono";
import { requireExport } from "../../../domain/exports/jobs.ts";
import { replayWebhook, requireWebhook, type WebhookLog } from "../../../domain/exports/webhooks/webhooks.ts";
import type { Services } from "../../../domain/services.ts";
import type { AppEnv } from "../../app-env.ts";
import { requireScopes } from "../../middleware/require-scopes.ts";

const mayExport = () => requireScopes("works:read", "projects:read");

/** Whether whom the owner of an export named has heard of its end. */
export const exportWebhookRoutes = ({ exports, webhooks }: Services) => {
  const mine = (c: Context<AppEnv>) => requireExport(exports, c.var.caller.user.id, c.req.param("exportId") ?? "");
  return new Hono<AppEnv>()
    .get("/:exportId/webhook", mayExport(), async (c) =>
      c.json(shown(await requireWebhook(webhooks, await mine(c))), 200),
    )
    .post("/:exportId/webhook/replay", mayExport(), async (c) =>
      c.json(shown(await replayWebhook(webhooks, await mine(c))), 202),
    );
};

/** Never the secret. */
const shown = ({ url, secret, state, event, attempts }: WebhookLog) => ({
  ...{ url, signed: secret !== undefined, state, event, attempts },
});
