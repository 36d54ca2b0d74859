import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import type { Session } from "../../domain/accounts/access-tokens.ts";
import { sessionOfCookie, sessionUse } from "../../domain/accounts/active-sessions.ts";
import { authenticate, type Caller, loggedInCaller, sessionFromToken } from "../../domain/accounts/caller.ts";
import type { RateLimit } from "../../domain/accounts/rate-limit.ts";
import { isId } from "../../domain/shared/ids.ts";
import { DomainError } from "../../errors.ts";
import { once } from "../../platform/async.ts";
import type { Services } from "../../services.ts";
import type { AppEnv } from "../app-env.ts";
import { type PageCookie, pageCookie } from "../request/page-cookie.ts";

type IdentityServices = Pick<
  Services,
  "users" | "sessions" | "projects" | "assets" | "apiTokens" | "accessTokens" | "requestLimiter"
>;

/** Far above the rate of a person or a well-behaved program. */
const requestsPerUser: RateLimit = { points: 6000, seconds: 60 };

/**
 * Sets `sessionFromToken`, `identify` and `reauthenticate`; a route that calls none of them causes no query. A call
 * inside the app keeps those of the calling request.
 */
export const identity = (services: IdentityServices, cookie: PageCookie = pageCookie()) => {
  const touchSession = sessionUse(services);
  return createMiddleware<AppEnv>((c, next) => {
    if (c.get("identify")) return next();
    const readClaim = once(() => claimOf(c, services, cookie));
    c.set("sessionFromToken", async () => (await readClaim()).session);
    const readCaller = async () => {
      const read = await readClaim();
      const loaded = await loadCaller(c, services, read);
      if (read.session) await touchSession(read.session);
      return loaded;
    };
    c.set("identify", once(readCaller));
    c.set("reauthenticate", async () => (await readClaim()).authenticate());
    return next();
  });
};

/** The claim of a credential: a session, or the user of an API token. `authenticate` checks it again. */
type Claim = { readonly session: Session | undefined; authenticate(): Promise<Caller> };

async function claimOf(c: Context<AppEnv>, services: IdentityServices, cookie: PageCookie): Promise<Claim> {
  const secret = c.get("refusesCookie") || givesToken(c) ? undefined : cookie.read(c);
  if (secret !== undefined) return claimOfCookie(c, services, cookie, secret);
  const credential = requireCredential(c);
  return {
    session: await sessionFromToken(services, credential),
    authenticate: () => authenticate(services, credential),
  };
}

async function claimOfCookie(
  c: Context<AppEnv>,
  services: IdentityServices,
  { requireOwnPage }: PageCookie,
  secret: string,
): Promise<Claim> {
  if (!["GET", "HEAD"].includes(c.req.method)) requireOwnPage(c);
  const readSession = () => sessionOfCookie(services, secret);
  return {
    session: await readSession(),
    authenticate: async () => loggedInCaller(await services.users.findLoggedIn(await readSession())),
  };
}

async function loadCaller(c: Context<AppEnv>, services: IdentityServices, { authenticate, session }: Claim) {
  const caller = session ? await callerOfSession(c, services, session) : await authenticate();
  services.requestLimiter.take({ ...requestsPerUser, key: `requests ${caller.user.id}` });
  return caller;
}

/** Also sets `foundAsset` or `foundProject` if the path names one. */
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

const queryToken = (c: Context<AppEnv>) => (c.get("acceptsQueryToken") ? c.req.query("token") : undefined);

const givesToken = (c: Context<AppEnv>): boolean =>
  c.req.header("authorization") !== undefined || queryToken(c) !== undefined;

function requireCredential(c: Context<AppEnv>): string {
  const header = c.req.header("authorization");
  const [, credential] = bearerPattern.exec(header ?? `Bearer ${queryToken(c) ?? ""}`) ?? [];
  if (credential === undefined) throw new DomainError("unauthenticated", {});
  return credential;
}

// RFC 6750: the characters of a bearer token
const bearerPattern = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i;
