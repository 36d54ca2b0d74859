import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import type { Logger } from "pino";
import { isDomainError } from "../../errors.ts";
import type { AppEnv } from "../app-env.ts";

/** Nothing else of a request's headers is ever logged: a list of what is safe, not of what is secret. */
const loggedHeaders = ["user-agent", "content-type", "content-length", "range"];

/** One line for each request, without its query: a token may be in there. */
export const requestLog = (log: Logger) =>
  createMiddleware<AppEnv>(async (c, next) => {
    const startedAt = performance.now();
    await next();
    const isGone = c.req.raw.signal.aborted;
    const level = c.res.status >= 500 && !isGone ? "error" : "info";
    log[level](
      { ...factsOf(c), ...(isGone && { clientGone: true }), ms: Math.round(performance.now() - startedAt) },
      "request",
    );
  });

const factsOf = (c: Context<AppEnv>) => ({
  requestId: c.var.requestId,
  method: c.req.method,
  path: c.req.path,
  status: c.res.status,
  userId: c.var.caller?.user.id,
  headers: Object.fromEntries(loggedHeaders.map((name) => [name, c.req.header(name)])),
  error: c.error && describeError(c.error),
});

/** Whose message is not ours may quote SQL, paths or keys, so only where it was thrown is kept. */
export function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { name: typeof error };
  const { name, stack, cause } = error;
  return {
    name,
    ...("code" in error && { code: error.code }),
    ...(isDomainError(error) ? { message: error.message } : { at: framesOf(stack) }),
    ...(cause !== undefined && { cause: describeError(cause) }),
  };
}

const framesOf = (stack = ""): readonly string[] =>
  stack
    .split("\n")
    .flatMap((line) => /^\s*at .*$/.exec(line)?.[0].trim() ?? [])
    .slice(0, 8);
