import { Hono } from "hono";
import { z } from "zod";
import { requireGeneratedMedia } from "../../domain/files/generated-media.ts";
import type { Services } from "../../domain/services.ts";
import type { AppEnv } from "../app-env.ts";
import { validate } from "../request/validate.ts";
import { sendStoredFile } from "../response/send-file.ts";

/** A missing or repeated parameter is read as undefined, so that it gives not_found like any invalid signature. */
const Parameter = z.string().optional().catch(undefined);
const SignedQuery = z.object({ expires: Parameter, signature: Parameter });

/** Needs no credential: the signature in the URL authorises the request. */
export const mediaRoutes = (services: Services) =>
  new Hono<AppEnv>().get("/:mediaId", validate("query", SignedQuery), async (c) => {
    const link = { mediaId: c.req.param("mediaId"), signed: c.req.valid("query") };
    return sendStoredFile(c, services.files, await requireGeneratedMedia(services, link));
  });
