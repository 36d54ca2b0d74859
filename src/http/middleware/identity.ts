import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { authenticate, type Caller } from "../../domain/auth/caller.ts";
import type { RateLimit } from "../../domain/auth/rate-limit.ts";
import type { Services } from "../../domain/services.ts";
import { DomainError } from "../../errors.ts";
import type { AppEnv } from "../app-env.ts";

type IdentityServices = Pick<Services, "users" | "apiTokens" | "accessTokens" | "requestLimiter">;

/** Far above the rate of a person or a well-behaved program. */
const requestsPerUser: RateLimit = { points: 6000, seconds: 60 };

/** Sets `identify`, which loads the caller on the first call, so that open routes cause no query, and `reauthenticate`. */
export const identity = (services: IdentityServices) =>
  createMiddleware<AppEnv>(async (c, next) => {
    let credential: string | undefined;
    let caller: Promise<Caller> | undefined;
    c.set("identify", () => {
      credential ??= requireCredential(c);
      caller ??= loadCaller(services, credential);
      return caller;
    });
    c.set("reauthenticate", async () => {
      credential ??= requireCredential(c);
      return await authenticate(services, credential);
    });
    await next();
  });

async function loadCaller(services: IdentityServices, credential: string): Promise<Caller> {
  const caller = await authenticate(services, credential);
  services.requestLimiter.take({ ...requestsPerUser, key: `requests ${caller.user.id}` });
  return caller;
}

function requireCredential(c: Context<AppEnv>): string {
  const header = c.req.header("authorization");
  const queryToken = c.var.acceptsQueryToken ? c.req.query("token") : undefined;
  const [, credential] = bearerPattern.exec(header ?? `Bearer ${queryToken ?? ""}`) ?? [];
  if (credential === undefined) throw new DomainError("unauthenticated", {});
  return credential;
}

// RFC 6750: the characters of a bearer token
const bearerPattern = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i;
