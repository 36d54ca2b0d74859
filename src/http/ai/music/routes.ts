import { Hono } from "hono";
import { generateMusic } from "../../../domain/ai/music/generate-music.ts";
import type { Services } from "../../../services.ts";
import { json } from "../../answers.ts";
import type { AppEnv } from "../../app-env.ts";
import { assetPath } from "../../files/internal-urls.ts";
import { idempotent } from "../../middleware/idempotency.ts";
import { noIdleTimeout } from "../../middleware/no-idle-timeout.ts";
import { requireScopes } from "../../middleware/require-scopes.ts";
import { requireStorageRoom } from "../../middleware/storage-room.ts";
import { operationsOf } from "../../openapi.ts";
import { respondAsync } from "../../operations/respond-async.ts";
import { validate } from "../../request/validate.ts";
import { modelErrors } from "../errors.ts";
import { MusicRequest } from "../generation/schemas.ts";
import { loadNamedProject } from "../generation/target-work.ts";
import { modelChoice, modelHeaders, withProviderCall } from "../model-choice.ts";
import { modelResponseHeaders } from "../model-headers.ts";
import { GeneratedMusic } from "../views.ts";

const documented = operationsOf("AI");

export const musicRoutes = (services: Services) =>
  new Hono<AppEnv>().post(
    "/music",
    documented(requireScopes("ai:generate"), {
      id: "generateMusic",
      summary: "Generate music or a sound effect",
      about:
        "Makes a sound from a prompt: its URL is valid for 24 hours. If the request names a project, the sound becomes an asset of it; this needs `projects:write` too.",
      answers: { 200: json(GeneratedMusic, "Where the sound is, and how long it is.", modelResponseHeaders) },
      errors: modelErrors,
    }),
    noIdleTimeout,
    loadNamedProject(services, ["projects:write"]),
    modelHeaders(services, "music"),
    validate("json", MusicRequest),
    idempotent(services),
    requireStorageRoom(services),
    respondAsync(services),
    async (c) => {
      const { caller } = c.var;
      const { projectId, ...task } = c.req.valid("json");
      const model = services.models.music(modelChoice("music", c.req.valid("header")));
      const made = await withProviderCall(c, services, (call) =>
        generateMusic(services, { model, call }, { caller, task, projectId }),
      );
      const { duration, assetId } = made;
      if (assetId === undefined) return c.json({ audioUrl: made.audioUrl, duration }, 200);
      return c.json({ assetId, audioUrl: assetPath(c.var.project.id, assetId), duration }, 200);
    },
  );
