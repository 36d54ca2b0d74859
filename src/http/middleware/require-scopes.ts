import { createMiddleware } from "hono/factory";
import type { Caller } from "../../domain/auth/caller.ts";
import type { Scope } from "../../domain/auth/scopes.ts";
import { DomainError } from "../../errors.ts";
import type { AppEnv } from "../app-env.ts";
import { documented } from "../response/doc.ts";

type Requirement = readonly (Scope | "login")[];

/** What a route asks of its caller, kept on its middleware so that the route table shows it. */
const requirements = new WeakMap<object, Requirement>();

export const requirementOf = (handler: object): Requirement | undefined => requirements.get(handler);

/** Lets in callers whose credential has all of these scopes; without any, every credential. */
export const requireScopes = (...scopes: readonly Scope[]) =>
  admitting(scopes, (caller) => scopes.every((scope) => caller.scopes.includes(scope)));

/** Lets in a user's own login only, so that an API token can never make a stronger one. */
export const requireLogin = admitting(["login"], ({ via }) => via === "login");

function admitting(required: Requirement, mayEnter: (caller: Caller) => boolean) {
  const middleware = createMiddleware<AppEnv>(async (c, next) => {
    const caller = await c.var.identify();
    c.set("caller", caller);
    if (!mayEnter(caller)) throw new DomainError("insufficient_scope", { required, granted: caller.scopes });
    await next();
  });
  requirements.set(middleware, required);
  return documented(middleware, {
    description: required.length > 0 ? `Needs ${required.join(" and ")}.` : "Takes any credential.",
    security: [{ bearer: [...required] }],
  });
}

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
