import { createMiddleware } from "hono/factory";
import type { AppEnv } from "../app-env.ts";

/** For routes that may send no byte for minutes: by default, Bun closes such a connection after seconds. */
export const noIdleTimeout = createMiddleware<AppEnv>(async (c, next) => {
  c.env?.timeout?.(c.req.raw, 0);
  await next();
});
