import { Hono } from "hono";
import type { UsageRecord } from "../../domain/ai/provider-calls.ts";
import { usedBytes } from "../../domain/files/storage.ts";
import type { Services } from "../../domain/services.ts";
import type { AppEnv } from "../app-env.ts";
import { requireScopes } from "../middleware/require-scopes.ts";
import { pageRequest, withNextLink } from "../request/paging.ts";
import { validate } from "../request/validate.ts";
import { PageQuery } from "../schemas/common.ts";

/** What the caller has used: the calls of external providers, newest first, and the storage. */
export const usageRoutes = ({ usage, storageUsage, settings }: Services) =>
  new Hono<AppEnv>()
    .get("/", requireScopes(), validate("query", PageQuery), async (c) => {
      const page = await usage.list(c.var.caller.user.id, pageRequest(c.req.valid("query")));
      return c.json({ calls: withNextLink(c, page, callView) }, 200);
    })
    .get("/storage", requireScopes(), async (c) => {
      const stored = await storageUsage.read(c.var.caller.user.id);
      return c.json({ usedBytes: usedBytes(stored), allowedBytes: settings.maxUserBytes, ...stored }, 200);
    });

const callView = ({ userId: _, ...call }: UsageRecord) => call;
