import { type Context, Hono } from "hono";
import { endSession, requireSession, type SessionDetails } from "../../domain/auth/active-sessions.ts";
import type { Services } from "../../domain/services.ts";
import type { AppEnv } from "../app-env.ts";
import { requireLogin } from "../middleware/require-scopes.ts";
import { pageRequest, withNextLink } from "../request/paging.ts";
import { validate } from "../request/validate.ts";
import { PageQuery } from "../schemas/common.ts";

/** The caller's logins that have not ended. */
export const sessionRoutes = (services: Services) =>
  new Hono<AppEnv>()
    .get("/", requireLogin, validate("query", PageQuery), async (c) => {
      const request = pageRequest(c.req.valid("query"));
      const page = await services.sessions.list(c.var.caller.user.id, Date.now(), request);
      const view = await sessionView(c);
      return c.json(withNextLink(c, page, view), 200);
    })
    .get("/:sessionId", requireLogin, async (c) => {
      const view = await sessionView(c);
      return c.json(view(await requireSession(services, namedSession(c, c.req.param("sessionId")))), 200);
    })
    .delete("/:sessionId", requireLogin, async (c) => {
      await endSession(services, namedSession(c, c.req.param("sessionId")));
      return c.body(null, 204);
    });

const namedSession = (c: Context<AppEnv>, sessionId: string) => ({ userId: c.var.caller.user.id, sessionId });

/** Marks the session of this request. */
async function sessionView(c: Context<AppEnv>) {
  const current = await c.var.claimedSession();
  return ({ userId: _, ...session }: SessionDetails) => ({ ...session, current: session.id === current?.sessionId });
}
