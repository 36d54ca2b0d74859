import type { MiddlewareHandler } from "hono";
import { cors } from "hono/cors";

const exposedHeaders = [
  "Content-Disposition",
  "Content-Length",
  "Content-Range",
  "ETag",
  "Idempotency-Replayed",
  "Link",
  "Location",
  "Mcp-Session-Id",
  "Retry-After",
  "X-Cost",
  "X-Export-Warnings",
  "X-Image-Model-Id",
  "X-Model-Id",
  "X-Request-Id",
];

/** CORS headers for these origins ("*" for all). Without origins, browsers block other sites. */
export function crossOrigin(origins: readonly string[]): MiddlewareHandler {
  if (origins.length === 0) return (_, next) => next();
  const origin = origins.includes("*") ? "*" : [...origins];
  return cors({ origin, exposeHeaders: exposedHeaders, maxAge: 600 });
}
