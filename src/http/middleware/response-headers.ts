import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import type { AppEnv } from "../app-env.ts";
import { hasUnreadBody } from "../request/body-limits.ts";
import { bearsPageCookie } from "../request/page-cookie.ts";
import { applyCost } from "../response/cost.ts";
import { applyEtag } from "../response/etag.ts";

/**
 * The headers of Helmet, which override those of handlers. Routes need tokens, so other sites may embed any resource
 * that they have a token for.
 */
const securityHeaders = Object.entries({
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "cross-origin",
  "Origin-Agent-Cluster": "?1",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
  "X-DNS-Prefetch-Control": "off",
  "X-Download-Options": "noopen",
  "X-Frame-Options": "SAMEORIGIN",
  "X-Permitted-Cross-Domain-Policies": "none",
});

// no scripts, and no storage in shared caches
const defaultHeaders = Object.entries({
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "Cache-Control": "private, no-cache",
});

/** Seconds after which a client may retry a request that got 503, if the error names no time. */
const retryAfterSeconds = "5";

/**
 * Sets X-Request-Id, security headers, and defaults of headers that the handler did not set, also on its own Response
 * objects. One middleware for all headers, because each costs every request some microseconds.
 */
export const responseHeaders = createMiddleware<AppEnv>(async (c, next) => {
  await next();
  applyEtag(c);
  applyCost(c);
  if (c.req.method === "HEAD") await setContentLength(c);
  const { headers, status } = c.res;
  headers.set("X-Request-Id", c.get("requestId"));
  for (const [name, value] of defaultHeaders) if (!headers.has(name)) headers.set(name, value);
  if (status >= 400 && hasUnreadBody(c)) closeLater(c, headers);
  // nginx would buffer events
  if (headers.get("Content-Type")?.startsWith("text/event-stream")) headers.set("X-Accel-Buffering", "no");
  if (status === 503 && !headers.has("Retry-After")) headers.set("Retry-After", retryAfterSeconds);
  for (const [name, value] of securityHeaders) headers.set(name, value);
  if (c.req.path.startsWith("/api/") && bearsPageCookie(c)) keepToOwnPages(headers);
});

/** Bun counts in steps of four seconds: this means 16 to 20 seconds, for a slow line or a busy client. */
const lingerSeconds = 20;
/** Seconds in which a client may reuse such a connection. */
const reuseSeconds = 10;

/**
 * Leaves the client time to send the rest of its body and to read the response (RFC 9112, 9.6): Bun drops the rest and
 * closes the connection after `lingerSeconds`, however much arrives. `Connection: close` would close it at once:
 * clients that are still writing, such as Node's fetch, would see EPIPE instead of the response.
 */
function closeLater(c: Context<AppEnv>, headers: Headers): void {
  c.env?.timeout?.(c.req.raw, lingerSeconds);
  headers.set("Keep-Alive", `timeout=${reuseSeconds}`);
}

/** Protects an answer to a login by cookie: other sites may not embed it, and shared caches may not store it. */
function keepToOwnPages(headers: Headers): void {
  headers.set("Cross-Origin-Resource-Policy", "same-origin");
  headers.append("Vary", "Cookie");
}

/** For responses that contain a secret: no cache may store them, not even the browser's. */
export const noStore = createMiddleware<AppEnv>(async (c, next) => {
  await next();
  c.res.headers.set("Cache-Control", "no-store");
});

/** Sets the Content-Length of GET on HEAD responses: Hono drops their body later, and Bun would then send 0. */
async function setContentLength({ res: { body, headers }, res }: Context<AppEnv>): Promise<void> {
  if (!body || headers.has("Content-Length")) return;
  const { byteLength } = await res.arrayBuffer();
  headers.set("Content-Length", `${byteLength}`);
}
