import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import type { Logger } from "pino";
import { isDomainError } from "../../errors.ts";
import type { AppEnv } from "../app-env.ts";
import { hasClientLeft, recordedStatus } from "../client-signal.ts";

/** An allow-list: no other request header is ever logged. */
const loggedHeaders = ["user-agent", "content-type", "content-length", "range"];

/** Logs one line per request, without the query string, which may contain a token. Sets `logError`. */
export const requestLog = (log: Logger) =>
  createMiddleware<AppEnv>(async (c, next) => {
    const startedAt = performance.now();
    c.set("logError", (error) =>
      log.error({ requestId: c.var.requestId, error: describeError(error) }, "response failed"),
    );
    await next();
    const clientGone = hasClientLeft(c);
    const level = c.res.status >= 500 && !clientGone ? "error" : "info";
    log[level](
      { ...requestFields(c), ...(clientGone && { clientGone }), ms: Math.round(performance.now() - startedAt) },
      "request",
    );
  });

const requestFields = (c: Context<AppEnv>) => ({
  requestId: c.get("requestId"),
  method: c.req.method,
  path: withoutSecret(c.req.path),
  status: recordedStatus(c),
  userId: c.get("caller")?.user.id,
  headers: Object.fromEntries(loggedHeaders.map((name) => [name, c.req.header(name)])),
  error: c.error && describeError(c.error),
});

/** Hides the secret of a review link in the path, also of a mistyped one; the link's id is no secret. */
const withoutSecret = (path: string) =>
  path.replace(/(\/reviews?(?:\/|%(?:25)*2f)+)(?!review_[0-9a-f]{32}(?:\/|$))[^/]+/gi, "$1…");

/** A loggable form of an error. Includes the message only of a DomainError: others may contain SQL, paths or keys. */
export function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { name: typeof error };
  const { name, stack, cause } = error;
  return {
    name,
    ...("code" in error && { code: error.code }),
    ...(isDomainError(error) ? { message: error.message } : { at: stackFrames(stack) }),
    ...(cause !== undefined && { cause: describeError(cause) }),
  };
}

const stackFrames = (stack = ""): readonly string[] =>
  stack
    .split("\n")
    .flatMap((line) => /^\s*at .*$/.exec(line)?.[0].trim() ?? [])
    .slice(0, 8);
