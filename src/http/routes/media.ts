import { Hono } from "hono";
import { z } from "zod";
import { requireGenerated } from "../../domain/files/generated-media.ts";
import type { Services } from "../../domain/services.ts";
import type { AppEnv } from "../app-env.ts";
import { validate } from "../request/validate.ts";
import { sendStored } from "../response/send-file.ts";

/** What is missing, or given twice, makes an address that leads nowhere like any other wrong one. */
const Part = z.string().optional().catch(undefined);
const Signed = z.object({ expires: Part, signature: Part });

/** Open to whoever has an address that this service signed. */
export const mediaRoutes = (services: Services) =>
  new Hono<AppEnv>().get("/:mediaId", validate("query", Signed), async (c) => {
    const named = { mediaId: c.req.param("mediaId"), signed: c.req.valid("query") };
    return sendStored(c, services.files, await requireGenerated(services, named));
  });
