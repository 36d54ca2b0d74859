import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { routePath } from "hono/route";
import { noTracing, runFrom, type Tracing } from "../../platform/tracing.ts";
import type { AppEnv } from "../app-env.ts";
import { recordedStatus } from "../client-signal.ts";

/** Longer values and other characters are not logged. */
const sanePattern = /^[\w\-=]{1,255}$/;

/** The id of the calling request, the client's id, or a new one. */
function requestIdOf(c: Context<AppEnv>): string {
  const named = c.get("requestId") ?? c.req.header("x-request-id");
  return named !== undefined && sanePattern.test(named) ? named : crypto.randomUUID();
}

/**
 * Sets `requestId`. Marks log lines and jobs of a request with their origin. With tracing, runs the request as a span,
 * which names the route but neither the path nor the query.
 */
export const originOfRequests = (tracing: Tracing) =>
  createMiddleware<AppEnv>((c, next) => {
    const requestId = requestIdOf(c);
    c.set("requestId", requestId);
    if (tracing === noTracing) return runFrom({ requestId }, next);
    const { method } = c.req;
    const route = routePath(c, -1);
    const attributes = { "http.request.method": method, "http.route": route };
    const options = {
      name: `${method} ${route}`,
      kind: "server",
      parent: c.req.header("traceparent"),
      attributes,
    } as const;
    return tracing.span(options, async (span) => {
      await runFrom({ requestId, traceparent: span.traceparent }, next);
      const status = recordedStatus(c);
      span.set({ "http.response.status_code": status });
      if (status >= 500) span.fail();
    });
  });
