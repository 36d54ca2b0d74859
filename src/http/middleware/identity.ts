import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { type Caller, callerBehind } from "../../domain/auth/caller.ts";
import type { RateLimit } from "../../domain/auth/rate-limit.ts";
import type { Services } from "../../domain/services.ts";
import { DomainError } from "../../errors.ts";
import type { AppEnv } from "../app-env.ts";

type Callers = Pick<Services, "users" | "apiTokens" | "accessTokens" | "rateLimiter">;

/** No person and no honest program comes near this. */
const perUser: RateLimit = { points: 6000, seconds: 60 };

/** Makes `identify` ready for those routes that ask who calls; the others never pay for it. */
export const identity = (services: Callers) =>
  createMiddleware<AppEnv>(async (c, next) => {
    let caller: Promise<Caller> | undefined;
    c.set("identify", () => {
      caller ??= admit(services, requireCredential(c));
      return caller;
    });
    await next();
  });

async function admit(services: Callers, credential: string): Promise<Caller> {
  const caller = await callerBehind(services, credential);
  await services.rateLimiter.take(`requests ${caller.user.id}`, perUser);
  return caller;
}

function requireCredential(c: Context<AppEnv>): string {
  const header = c.req.header("authorization");
  const queryToken = c.var.queryTokenTaken ? c.req.query("token") : undefined;
  const [, credential] = bearer.exec(header ?? `Bearer ${queryToken ?? ""}`) ?? [];
  if (credential === undefined) throw new DomainError("unauthenticated", {});
  return credential;
}

// RFC 6750: the characters a bearer token is made of
const bearer = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i;
