import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import type { Caller } from "../../domain/accounts/caller.ts";
import type { Scope } from "../../domain/accounts/scopes.ts";
import { DomainError } from "../../errors.ts";
import type { AppEnv } from "../app-env.ts";
import { described, describeMiddleware, descriptionOf } from "../openapi.ts";
import { inUserSlot } from "../request/user-concurrency.ts";

type Requirement = readonly (Scope | "login")[];

const missingScope = ["insufficient_scope"] as const;

/** The requirement of a middleware made here, also of its described copies; undefined if it accepts anyone. */
export const requirementOf = (handler: object): readonly string[] | undefined =>
  descriptionOf(handler).security?.find(({ bearer }) => bearer)?.bearer;

/** For operations that need no credential. */
export const anyone = described({ description: "Needs no credential.", security: [] }, (_, next) => next());

/** Accepts credentials that have all of these scopes; without arguments, any valid credential. */
export const requireScopes = (...scopes: readonly Scope[]) =>
  requireCaller(scopes, (caller) => scopes.every((scope) => caller.scopes.includes(scope)), scopes);

/** Accepts only access tokens of a login, so that an API token can never create a stronger one. */
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
    const session = await c.get("sessionFromToken")();
    if (!session) {
      const { user, via } = await authorize(c);
      return inUserSlot(c, { userId: user.id, flow: via }, next);
    }
    // takes a turn too, because the query for the caller also reads a project
    return inUserSlot(c, { userId: session.userId, flow: session.sessionId }, async () => {
      await authorize(c);
      await next();
    });
  });
  return describeMiddleware(middleware, {
    description: describeRequirement(required),
    security: [{ bearer: [...required] }],
    errors: ["unauthenticated", "invalid_token", "rate_limited", ...(required.length > 0 ? missingScope : [])],
  });
}

function describeRequirement(required: Requirement): string {
  if (required.length === 0) return "Accepts any credential.";
  if (required.includes("login")) return "Needs the access token of a login: API tokens are refused.";
  return `Needs the scope${required.length > 1 ? "s" : ""} ${required.map((scope) => `\`${scope}\``).join(" and ")}.`;
}

/** Accepts `?token=` instead of the Authorization header, for players and image tags. Runs before `requireScopes`. */
export const allowQueryToken = described(
  {
    parameters: [
      {
        in: "query",
        name: "token",
        description: "A credential instead of the Authorization header, for players and image tags.",
        schema: { type: "string" },
      },
    ],
  },
  async (c, next) => {
    c.set("acceptsQueryToken", true);
    await next();
  },
);

/** Refuses logins by cookie, which must not get a credential that outlives them. Runs before `requireScopes`. */
export const withoutCookie = createMiddleware<AppEnv>((c, next) => {
  c.set("refusesCookie", true);
  return next();
});
