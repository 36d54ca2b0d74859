import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import type { Caller } from "../../domain/auth/caller.ts";
import type { Scope } from "../../domain/auth/scopes.ts";
import { DomainError } from "../../errors.ts";
import type { AppEnv } from "../app-env.ts";
import { describeMiddleware } from "../openapi.ts";
import { inTurn } from "../request/user-turns.ts";

type Requirement = readonly (Scope | "login")[];

/** The requirement of each middleware made here, so that a test can read it from the route table. */
const requirements = new WeakMap<object, Requirement>();

export const requirementOf = (handler: object): Requirement | undefined => requirements.get(handler);

/** Accepts credentials that have all of these scopes; without arguments, any valid credential. */
export const requireScopes = (...scopes: readonly Scope[]) =>
  requireCaller(scopes, (caller) => scopes.every((scope) => caller.scopes.includes(scope)), scopes);

/** Accepts access tokens of a login only, so that an API token can never create a stronger one. */
export const requireLogin = requireCaller(["login"], ({ via }) => via === "login");

function requireCaller(required: Requirement, isAllowed: (caller: Caller) => boolean, scopes: readonly Scope[] = []) {
  const authorize = async (c: Context<AppEnv>) => {
    const caller = await c.get("identify")();
    c.set("caller", caller);
    c.set("requiredScopes", scopes);
    if (!isAllowed(caller)) throw new DomainError("insufficient_scope", { required, granted: caller.scopes });
    return caller;
  };
  const middleware = createMiddleware<AppEnv>(async (c, next) => {
    const session = await c.get("claimedSession")();
    if (!session) {
      const { user, via } = await authorize(c);
      return inTurn(c, { userId: user.id, lane: via }, next);
    }
    // in turn too, because the query for the caller also reads a project
    return inTurn(c, { userId: session.userId, lane: session.sessionId }, async () => {
      await authorize(c);
      await next();
    });
  });
  requirements.set(middleware, required);
  return describeMiddleware(middleware, {
    description: required.length > 0 ? `Requires ${required.join(" and ")}.` : "Accepts any credential.",
    security: [{ bearer: [...required] }],
  });
}

/** Accepts `?token=` in place of the Authorization header, for players and image tags. Runs before `requireScopes`. */
export const allowQueryToken = describeMiddleware(
  createMiddleware<AppEnv>(async (c, next) => {
    c.set("acceptsQueryToken", true);
    await next();
  }),
  {
    parameters: [
      { in: "query", name: "token", description: "Replaces the Authorization header.", schema: { type: "string" } },
    ],
  },
);
