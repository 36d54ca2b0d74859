import { Hono } from "hono";
import type { UpstreamCall } from "../../domain/ai/provider-calls.ts";
import type { Services } from "../../domain/services.ts";
import type { AppEnv } from "../app-env.ts";
import { requireScopes } from "../middleware/require-scopes.ts";
import { pageItems, pageRequest } from "../request/paging.ts";
import { PageQuery } from "../request/schemas.ts";
import { validate } from "../request/validate.ts";

/** What a caller's requests have asked of providers outside, newest first. */
export const usageRoutes = ({ usage }: Services) =>
  new Hono<AppEnv>().get("/", requireScopes(), validate("query", PageQuery), async (c) => {
    const page = await usage.list(c.var.caller.user.id, pageRequest(c.req.valid("query")));
    return c.json({ calls: pageItems(c, page).map(shownCall) }, 200);
  });

const shownCall = ({ userId: _, ...call }: UpstreamCall) => call;
