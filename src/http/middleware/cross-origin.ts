import type { MiddlewareHandler } from "hono";
import { cors } from "hono/cors";

const readable = [
  "Content-Disposition",
  "Content-Length",
  "Content-Range",
  "ETag",
  "Idempotency-Replayed",
  "Link",
  "Location",
  "Retry-After",
  "X-Export-Warnings",
  "X-Request-Id",
];

/** Lets pages of these origins call the service; without any, browsers keep other sites out. */
export function crossOrigin(origins: readonly string[]): MiddlewareHandler {
  if (origins.length === 0) return (_, next) => next();
  const origin = origins.includes("*") ? "*" : [...origins];
  return cors({ origin, exposeHeaders: readable, maxAge: 600 });
}
