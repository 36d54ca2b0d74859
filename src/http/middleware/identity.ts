import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import type { Session } from "../../domain/auth/access-tokens.ts";
import { sessionUse } from "../../domain/auth/active-sessions.ts";
import { authenticate, type Caller, claimedSession, loggedInCaller } from "../../domain/auth/caller.ts";
import type { RateLimit } from "../../domain/auth/rate-limit.ts";
import type { Services } from "../../domain/services.ts";
import { isId } from "../../domain/shared/ids.ts";
import { DomainError } from "../../errors.ts";
import type { AppEnv } from "../app-env.ts";

type IdentityServices = Pick<
  Services,
  "users" | "sessions" | "projects" | "assets" | "apiTokens" | "accessTokens" | "requestLimiter"
>;

/** Far above the rate of a person or a well-behaved program. */
const requestsPerUser: RateLimit = { points: 6000, seconds: 60 };

/** Sets `claimedSession`, `identify` and `reauthenticate`; a route that calls none of them causes no query. */
export const identity = (services: IdentityServices) => {
  const noteUse = sessionUse(services);
  return createMiddleware<AppEnv>((c, next) => {
    let claim: Promise<Claim> | undefined;
    const readClaim = () => {
      claim ??= claimOf(c, services);
      return claim;
    };
    c.set("claimedSession", async () => (await readClaim()).session);
    c.set("identify", async () => {
      const read = await readClaim();
      const caller = await loadCaller(c, services, read);
      if (read.session) await noteUse(read.session);
      return caller;
    });
    c.set("reauthenticate", async () => authenticate(services, (await readClaim()).credential));
    return next();
  });
};

/** A request's credential, and the session that it claims if it is an access token. */
type Claim = { readonly credential: string; readonly session: Session | undefined };

async function claimOf(c: Context<AppEnv>, services: IdentityServices): Promise<Claim> {
  const credential = requireCredential(c);
  return { credential, session: await claimedSession(services, credential) };
}

async function loadCaller(c: Context<AppEnv>, services: IdentityServices, { credential, session }: Claim) {
  const caller = session ? await callerOfSession(c, services, session) : await authenticate(services, credential);
  services.requestLimiter.take({ ...requestsPerUser, key: `requests ${caller.user.id}` });
  return caller;
}

/** Sets `foundAsset` or `foundProject` too if the path names one. */
async function callerOfSession(
  c: Context<AppEnv>,
  { users, projects, assets }: IdentityServices,
  session: Session,
): Promise<Caller> {
  const id = c.req.param("projectId") ?? "";
  const assetId = c.req.param("assetId") ?? "";
  if (!isId("proj", id)) return loggedInCaller(await users.findLoggedIn(session));
  if (isId("asset", assetId)) {
    const found = await assets.findForSession(session, { projectId: id, assetId });
    c.set("foundAsset", { asset: found?.asset });
    return loggedInCaller(found?.user);
  }
  const found = await projects.findForSession(session, id);
  c.set("foundProject", { id, project: found?.project });
  return loggedInCaller(found?.user);
}

function requireCredential(c: Context<AppEnv>): string {
  const header = c.req.header("authorization");
  const queryToken = c.get("acceptsQueryToken") ? c.req.query("token") : undefined;
  const [, credential] = bearerPattern.exec(header ?? `Bearer ${queryToken ?? ""}`) ?? [];
  if (credential === undefined) throw new DomainError("unauthenticated", {});
  return credential;
}

// RFC 6750: the characters of a bearer token
const bearerPattern = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i;
