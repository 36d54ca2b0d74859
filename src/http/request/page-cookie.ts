import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { cookieSessionSeconds } from "../../domain/accounts/sessions.ts";
import { DomainError } from "../../errors.ts";
import type { AppEnv } from "../app-env.ts";

/**
 * A page's login as a cookie that scripts cannot read and other sites cannot send. `publicUrl` is the base URL for
 * callers, by default the request's. Over HTTPS only the prefixed name is accepted: a sibling domain cannot set it.
 */
export type PageCookie = {
  read(c: Context<AppEnv>): string | undefined;
  set(c: Context<AppEnv>, secret: string): void;
  remove(c: Context<AppEnv>): void;
  /** For a request with the cookie that may change something. Throws cross_site_request. */
  requireOwnPage(c: Context<AppEnv>): void;
  /** For a login, which programs may send too. Throws cross_site_request for a page of another site. */
  refuseOtherSites(c: Context<AppEnv>): void;
};

const cookieName = "reelwright";

/** True if the request has a login by cookie and no token, which would take precedence. */
export const bearsPageCookie = ({ req }: Context<AppEnv>): boolean =>
  /(?:^|;\s*)(?:__Host-)?reelwright=/.test(req.header("cookie") ?? "") && req.header("authorization") === undefined;

const refused = () => new DomainError("cross_site_request", {});

export function pageCookie(publicUrl?: string): PageCookie {
  const isSecure = (c: Context<AppEnv>) => (publicUrl ?? c.req.url).startsWith("https:");
  const attributes = { path: "/", httpOnly: true, sameSite: "Strict" } as const;
  const optionsOf = (c: Context<AppEnv>) => ({
    ...attributes,
    ...(isSecure(c) && { secure: true, prefix: "host" as const }),
  });
  const origins = (c: Context<AppEnv>) =>
    [c.req.url, publicUrl].flatMap((url) => (url === undefined ? [] : new URL(url).origin));
  const isOwnOrigin = (c: Context<AppEnv>) => origins(c).includes(c.req.header("origin") ?? "");

  return {
    read: (c) => (isSecure(c) ? getCookie(c, cookieName, "host") : getCookie(c, cookieName)),
    set: (c, secret) => setCookie(c, cookieName, secret, { ...optionsOf(c), maxAge: cookieSessionSeconds }),
    remove: (c) => void deleteCookie(c, cookieName, optionsOf(c)),
    requireOwnPage(c) {
      const site = c.req.header("sec-fetch-site");
      const isOwn = site === undefined ? isOwnOrigin(c) : site === "same-origin";
      if (!isOwn || c.req.header("x-reelwright-page") !== "1") throw refused();
    },
    refuseOtherSites(c) {
      const site = c.req.header("sec-fetch-site");
      const isOther = site === undefined ? c.req.header("origin") && !isOwnOrigin(c) : !ownSites.includes(site);
      if (isOther) throw refused();
    },
  };
}

/** Values of Sec-Fetch-Site for this service's pages and for direct navigation. */
const ownSites = ["same-origin", "none"];
