import { type Context, Hono } from "hono";
import { endSession, requireSession, type SessionDetails } from "../../domain/accounts/active-sessions.ts";
import type { Services } from "../../services.ts";
import { json, noContent, page as pageOf } from "../answers.ts";
import type { AppEnv } from "../app-env.ts";
import { requireLogin } from "../middleware/require-scopes.ts";
import { operationsOf } from "../openapi.ts";
import { pageRequest, withNextLink } from "../request/paging.ts";
import { validate } from "../request/validate.ts";
import { PageQuery } from "../schemas/common.ts";
import { Session as SessionSchema, Sessions } from "./views.ts";

const documented = operationsOf("Accounts");

/** The caller's active sessions. */
export const sessionRoutes = (services: Services) =>
  new Hono<AppEnv>()
    .get(
      "/",
      documented(requireLogin, {
        id: "listSessions",
        summary: "List the sessions",
        about: "Returns the user's active sessions, newest first.",
        answers: { 200: pageOf(Sessions, "The sessions.") },
      }),
      validate("query", PageQuery),
      async (c) => {
        const request = pageRequest(c.req.valid("query"));
        const page = await services.sessions.list(c.var.caller.user.id, Date.now(), request);
        const view = await sessionView(c);
        return c.json(withNextLink(c, page, view), 200);
      },
    )
    .get(
      "/:sessionId",
      documented(requireLogin, {
        id: "getSession",
        summary: "Read a session",
        about: "Returns an active session of the user.",
        answers: { 200: json(SessionSchema, "The session.") },
        errors: ["not_found"],
      }),
      async (c) => {
        const view = await sessionView(c);
        return c.json(view(await requireSession(services, namedSession(c, c.req.param("sessionId")))), 200);
      },
    )
    .delete(
      "/:sessionId",
      documented(requireLogin, {
        id: "endSession",
        summary: "End a session",
        about: "Ends a session of the user. Its access tokens and refresh tokens are refused from then on.",
        answers: noContent("The session has ended."),
        errors: ["not_found"],
      }),
      async (c) => {
        await endSession(services, namedSession(c, c.req.param("sessionId")));
        return c.body(null, 204);
      },
    );

const namedSession = (c: Context<AppEnv>, sessionId: string) => ({ userId: c.var.caller.user.id, sessionId });

/** Returns a view that marks the session of this request. */
async function sessionView(c: Context<AppEnv>) {
  const current = await c.var.sessionFromToken();
  return ({ userId: _, ...session }: SessionDetails) => ({ ...session, current: session.id === current?.sessionId });
}
