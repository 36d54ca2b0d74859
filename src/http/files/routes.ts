import { Hono } from "hono";
import { z } from "zod";
import { requireGeneratedMedia } from "../../domain/files/generated-media.ts";
import type { Services } from "../../services.ts";
import { storedFile } from "../answers.ts";
import type { AppEnv } from "../app-env.ts";
import { anyone } from "../middleware/require-scopes.ts";
import { operationsOf } from "../openapi.ts";
import { validate } from "../request/validate.ts";
import { sendStoredFile } from "../response/send-file.ts";

const documented = operationsOf("AI");

/** A missing or repeated parameter is read as undefined, so that it gives not_found like any invalid signature. */
const Parameter = z.string().optional().catch(undefined);
const SignedQuery = z.object({
  expires: Parameter.describe("Milliseconds since the epoch, as in the URL."),
  signature: Parameter.describe("As in the URL."),
});

/** Needs no credential: the signature in the URL authorises the request. */
export const mediaRoutes = (services: Services) =>
  new Hono<AppEnv>().get(
    "/:mediaId",
    documented(anyone, {
      id: "downloadGeneratedMedia",
      summary: "Download a generated file",
      about:
        "Sends an image, a video or a voice that was generated without naming a work. The signature in the URL is the credential, for 24 hours.",
      answers: storedFile(["image/*", "video/*", "audio/*"], "The file."),
      errors: ["not_found", "range_not_satisfiable", "source_unreadable"],
    }),
    validate("query", SignedQuery),
    async (c) => {
      const link = { mediaId: c.req.param("mediaId"), signed: c.req.valid("query") };
      return sendStoredFile(c, services.files, await requireGeneratedMedia(services, link));
    },
  );
