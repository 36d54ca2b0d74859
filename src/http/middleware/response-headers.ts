import { createMiddleware } from "hono/factory";
import { secureHeaders } from "hono/secure-headers";
import type { AppEnv } from "../app-env.ts";

/** Routes need bearer tokens, not cookies, so other sites may embed any resource that they have a token for. */
export const securityHeaders = secureHeaders({
  crossOriginResourcePolicy: "cross-origin",
  strictTransportSecurity: false,
  xXssProtection: false,
});

// no scripts, and no storage in shared caches
const defaultValues = {
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "Cache-Control": "private, no-cache",
};

/** Seconds until a client should repeat a request that got 503, if the error does not name a time. */
const retryAfter = { "Retry-After": "5" };

/** Sets X-Request-Id and the defaults of headers that the handler did not set, also on its own Response objects. */
export const defaultHeaders = createMiddleware<AppEnv>(async (c, next) => {
  await next();
  const { headers, status } = c.res;
  headers.set("X-Request-Id", c.get("requestId"));
  const defaults = { ...defaultValues, ...(status === 503 && retryAfter) };
  for (const [name, value] of Object.entries(defaults)) {
    if (!headers.has(name)) headers.set(name, value);
  }
});

/** For responses that contain a secret: no cache may store them, not even the browser's. */
export const noStore = createMiddleware<AppEnv>(async (c, next) => {
  await next();
  c.res.headers.set("Cache-Control", "no-store");
});

/** Sets the Content-Length of GET on HEAD responses: Hono drops their body later, and Bun would then send 0. */
export const headContentLength = createMiddleware<AppEnv>(async (c, next) => {
  await next();
  if (c.req.method !== "HEAD") return;
  const { body, headers } = c.res;
  if (!body || headers.has("Content-Length")) return;
  const { byteLength } = await c.res.arrayBuffer();
  headers.set("Content-Length", `${byteLength}`);
});
