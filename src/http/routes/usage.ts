import { Hono } from "hono";
import type { UsageRecord } from "../../domain/ai/provider-calls.ts";
import type { Services } from "../../domain/services.ts";
import type { AppEnv } from "../app-env.ts";
import { requireScopes } from "../middleware/require-scopes.ts";
import { pageRequest, withNextLink } from "../request/paging.ts";
import { validate } from "../request/validate.ts";
import { PageQuery } from "../schemas/common.ts";

/** The calls of external providers that the caller's requests made, newest first. */
export const usageRoutes = ({ usage }: Services) =>
  new Hono<AppEnv>().get("/", requireScopes(), validate("query", PageQuery), async (c) => {
    const page = await usage.list(c.var.caller.user.id, pageRequest(c.req.valid("query")));
    return c.json({ calls: withNextLink(c, page, callView) }, 200);
  });

const callView = ({ userId: _, ...call }: UsageRecord) => call;
