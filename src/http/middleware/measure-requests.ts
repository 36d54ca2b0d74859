import type { MiddlewareHandler } from "hono";
import { createMiddleware } from "hono/factory";
import { routePath } from "hono/route";
import { type Metrics, noMetrics } from "../../domain/telemetry/telemetry.ts";
import type { AppEnv } from "../app-env.ts";
import { recordedStatus } from "../client-signal.ts";

/** Known methods; a caller may send any word. */
const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/**
 * Measures each request by its route pattern; all unknown paths share one. A request that runs independently of its
 * connection was counted when it was accepted. Sets `bodyReceived`.
 */
export function measureRequests(metrics: Metrics): MiddlewareHandler<AppEnv> {
  if (metrics === noMetrics) return (_, next) => next();
  return createMiddleware<AppEnv>(async (c, next) => {
    c.set("bodyReceived", metrics.bodyReceived);
    if (c.env?.deferred) return next();
    const startedAt = performance.now();
    await next();
    const route = routePath(c, -1);
    const { method } = c.req;
    const status = recordedStatus(c);
    const end = () => {
      const seconds = (performance.now() - startedAt) / 1000;
      metrics.requestEnded({ method: methods.has(method) ? method : "other", route, status, seconds });
    };
    if (isEventStream(c.res)) c.res = new Response(untilEnd(c.res.body!, end), c.res);
    else end();
    if (method === "GET") metrics.fileSent(Number(c.res.headers.get("Content-Length") ?? 0));
  });
}

/** Other bodies have a known length, or are files, which Bun sends with their length only if nothing wraps them. */
const isEventStream = ({ headers, body }: Response): boolean =>
  headers.get("Content-Type") === "text/event-stream" && body !== null;

/** Calls `end` when the stream was read completely or the client left. */
function untilEnd(body: ReadableStream<Uint8Array>, end: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read().catch((error) => {
        end();
        throw error;
      });
      if (!done) return controller.enqueue(value);
      end();
      controller.close();
    },
    async cancel(reason) {
      end();
      await reader.cancel(reason);
    },
  });
}
