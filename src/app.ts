import { Hono } from "hono";
import type { Services } from "./domain/services.ts";
import type { AppEnv } from "./http/app-env.ts";
import { errorResponse } from "./http/error-response.ts";
import { revisionTag } from "./http/etag.ts";

/** The whole surface on one page: what happens to every request, then the route groups. */
export const createApp = (_services: Services) => new Hono<AppEnv>().onError(errorResponse).use(revisionTag);
