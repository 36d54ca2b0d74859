import { createMiddleware } from "hono/factory";
import { routePath } from "hono/route";
import { noTracing, type Tracing } from "../../domain/telemetry/tracing.ts";
import { runFrom } from "../../platform/origin.ts";
import type { AppEnv } from "../app-env.ts";

/**
 * Gives everything that a request orders its origin: log lines and jobs. With tracing, also runs it as a span, which
 * names the route and neither the path nor the query.
 */
export const originOfRequests = (tracing: Tracing) =>
  createMiddleware<AppEnv>(async (c, next) => {
    const requestId = c.get("requestId");
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
    await tracing.span(options, async (span) => {
      await runFrom({ requestId, traceparent: span.traceparent }, next);
      span.set({ "http.response.status_code": c.res.status });
      if (c.res.status >= 500) span.fail();
    });
  });
