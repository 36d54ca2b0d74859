import type { MiddlewareHandler } from "hono";
import { createMiddleware } from "hono/factory";
import type { Scope } from "../../domain/scopes.ts";
import { DomainError } from "../../errors.ts";
import type { AppEnv } from "../app-env.ts";
import { documented } from "../doc.ts";

/** What a route asks of its caller, kept on its middleware so that the route table shows it. */
const requirements = new WeakMap<object, readonly (Scope | "login")[]>();

export const requirementOf = (handler: object): readonly (Scope | "login")[] | undefined => requirements.get(handler);

function required(scopes: readonly (Scope | "login")[], middleware: MiddlewareHandler<AppEnv>) {
  requirements.set(middleware, scopes);
  return documented(middleware, {
    description: scopes.length > 0 ? `Needs ${scopes.join(" and ")}.` : "Takes any credential.",
    security: [{ bearer: [...scopes] }],
  });
}

/** Lets in callers whose credential has all of these scopes; without any, every credential. */
export const needs = (...scopes: readonly Scope[]) =>
  required(
    scopes,
    createMiddleware<AppEnv>(async (c, next) => {
      const caller = await c.var.identify();
      if (!scopes.every((scope) => caller.scopes.includes(scope))) {
        throw new DomainError("insufficient_scope", { required: scopes, granted: caller.scopes });
      }
      c.set("caller", caller);
      await next();
    }),
  );

/** Lets in a user's own login only, so that an API token can never make a stronger one. */
export const needsLogin = required(
  ["login"],
  createMiddleware<AppEnv>(async (c, next) => {
    const caller = await c.var.identify();
    if (caller.via !== "login") {
      throw new DomainError("insufficient_scope", { required: ["login"], granted: caller.scopes });
    }
    c.set("caller", caller);
    await next();
  }),
);

/** Before `needs`: on this route `?token=` stands for the Authorization header, for players and image tags. */
export const queryToken = documented(
  createMiddleware<AppEnv>(async (c, next) => {
    c.set("queryTokenTaken", true);
    await next();
  }),
  {
    parameters: [
      { in: "query", name: "token", description: "Stands for the Authorization header.", schema: { type: "string" } },
    ],
  },
);
