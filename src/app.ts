import { Hono } from "hono";
import type { Services } from "./domain/services.ts";
import type { AppEnv } from "./http/app-env.ts";
import { errorResponse } from "./http/error-response.ts";
import { revisionTag } from "./http/etag.ts";
import { identity } from "./http/middleware/identity.ts";
import { authRoutes } from "./http/routes/auth.ts";

/** The whole surface on one page: what happens to every request, then the route groups. */
export const createApp = (services: Services) =>
  new Hono<AppEnv>()
    .onError(errorResponse)
    .use(identity(services))
    .use(revisionTag)
    .route("/api/auth", authRoutes(services));
