import { createMiddleware } from "hono/factory";
import { secureHeaders } from "hono/secure-headers";
import type { AppEnv } from "../app-env.ts";

/** Bearer tokens, not cookies, open every route: other sites may embed what they have a token for. */
export const securityHeaders = secureHeaders({
  crossOriginResourcePolicy: "cross-origin",
  strictTransportSecurity: false,
  xXssProtection: false,
});

// for answers that say nothing of their own: nothing in them runs, and nobody else's cache keeps them
const defaults = {
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "Cache-Control": "private, no-cache",
};

/** What every answer carries, those of handlers that build a whole Response among them. */
export const answerHeaders = createMiddleware<AppEnv>(async (c, next) => {
  await next();
  const { headers } = c.res;
  headers.set("X-Request-Id", c.var.requestId);
  for (const [name, value] of Object.entries(defaults)) {
    if (!headers.has(name)) headers.set(name, value);
  }
});

/** For answers that hold a secret: not even the caller's own browser keeps a copy. */
export const neverStored = createMiddleware<AppEnv>(async (c, next) => {
  await next();
  c.res.headers.set("Cache-Control", "no-store");
});

/** HEAD tells the length that GET would send: Hono drops the body on its way out, and Bun would count that as 0. */
export const headLength = createMiddleware<AppEnv>(async (c, next) => {
  await next();
  const { body, headers } = c.res;
  if (c.req.method !== "HEAD" || !body || headers.has("Content-Length")) return;
  const { byteLength } = await c.res.arrayBuffer();
  headers.set("Content-Length", `${byteLength}`);
});
