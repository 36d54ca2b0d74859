import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { type Caller, callerBehind } from "../../domain/callers.ts";
import type { Services } from "../../domain/services.ts";
import { DomainError } from "../../errors.ts";
import type { AppEnv } from "../app-env.ts";

/** Makes `identify` ready for those routes that ask who calls; the others never pay for it. */
export const identity = (services: Pick<Services, "users" | "apiTokens" | "accessTokens">) =>
  createMiddleware<AppEnv>(async (c, next) => {
    let caller: Promise<Caller> | undefined;
    c.set("identify", () => {
      caller ??= callerBehind(services, requireCredential(c));
      return caller;
    });
    await next();
  });

function requireCredential(c: Context<AppEnv>): string {
  const header = c.req.header("authorization");
  const queryToken = c.var.queryTokenTaken ? c.req.query("token") : undefined;
  const [, credential] = bearer.exec(header ?? `Bearer ${queryToken ?? ""}`) ?? [];
  if (credential === undefined) throw new DomainError("unauthenticated", {});
  return credential;
}

// RFC 6750: the characters a bearer token is made of
const bearer = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i;
