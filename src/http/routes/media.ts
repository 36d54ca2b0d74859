import { Hono } from "hono";
import { requireGenerated } from "../../domain/generated-media.ts";
import type { Services } from "../../domain/services.ts";
import type { AppEnv } from "../app-env.ts";
import { sendStored } from "../stream.ts";

/** Open to whoever has an address that this service signed. */
export const mediaRoutes = (services: Services) =>
  new Hono<AppEnv>().get("/:mediaId", async (c) => {
    const named = { mediaId: c.req.param("mediaId"), signed: c.req.query() };
    return sendStored(c, services.files, await requireGenerated(services, named));
  });
