import { createMiddleware } from "hono/factory";
import type { AppEnv } from "../app-env.ts";

/** For routes that may be silent for minutes: Bun closes a connection after seconds without a byte. */
export const noIdleTimeout = createMiddleware<AppEnv>(async (c, next) => {
  c.env?.timeout?.(c.req.raw, 0);
  await next();
});
