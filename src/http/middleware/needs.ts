import { createMiddleware } from "hono/factory";
import type { Scope } from "../../domain/scopes.ts";
import { DomainError } from "../../errors.ts";
import type { AppEnv } from "../app-env.ts";

/** Lets in callers whose credential has all of these scopes; without any, every credential. */
export const needs = (...required: readonly Scope[]) =>
  createMiddleware<AppEnv>(async (c, next) => {
    const caller = await c.var.identify();
    if (!required.every((scope) => caller.scopes.includes(scope))) {
      throw new DomainError("insufficient_scope", { required, granted: caller.scopes });
    }
    c.set("caller", caller);
    await next();
  });

/** Lets in a user's own login only, so that an API token can never make a stronger one. */
export const needsLogin = createMiddleware<AppEnv>(async (c, next) => {
  const caller = await c.var.identify();
  if (caller.via !== "login")
    throw new DomainError("insufficient_scope", { required: ["login"], granted: caller.scopes });
  c.set("caller", caller);
  await next();
});

/** Before `needs`: on this route `?token=` stands for the Authorization header, for players and image tags. */
export const queryToken = createMiddleware<AppEnv>(async (c, next) => {
  c.set("queryTokenTaken", true);
  await next();
});
