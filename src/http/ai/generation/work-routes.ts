import { Hono } from "hono";
import { z } from "zod";
import { generateScene } from "../../../domain/ai/generation/generate-scene.ts";
import type { Services } from "../../../domain/services.ts";
import { namedObject } from "../../../domain/shared/schemas.ts";
import { json } from "../../answers.ts";
import type { AppEnv } from "../../app-env.ts";
import { idempotent } from "../../middleware/idempotency.ts";
import { loadWork } from "../../middleware/load-resource.ts";
import { noIdleTimeout } from "../../middleware/no-idle-timeout.ts";
import { requireScopes } from "../../middleware/require-scopes.ts";
import { requireStorageRoom } from "../../middleware/storage-room.ts";
import { operationsOf } from "../../openapi.ts";
import { respondAsync } from "../../operations/respond-async.ts";
import { loadSceneIndex } from "../../request/scene-index.ts";
import { validateOptionalJson } from "../../request/validate.ts";
import { withDefault } from "../../schemas/common.ts";
import { fileErrors, modelErrors } from "../errors.ts";
import { headersOfModels, withProviderCall } from "../model-choice.ts";
import { modelResponseHeaders, SceneModelHeaders } from "../model-headers.ts";
import { GeneratedSceneMedia } from "../views.ts";
import { sceneModels } from "./scene-models.ts";

const documented = operationsOf("AI");

const SceneRequest = namedObject("SceneRequest", { force: withDefault(z.boolean(), false) });

export const workGenerationRoutes = (services: Services) =>
  new Hono<AppEnv>().post(
    "/:workId/generate/scene/:sceneIndex",
    documented(requireScopes("ai:generate", "works:write"), {
      id: "generateScene",
      summary: "Generate the media of a scene",
      about:
        "Draws the scene's image, then makes its video from it, and saves both in the work. What is there and was made from the same prompt, style, model and resolution stays, unless `force` is true.",
      answers: {
        200: json(GeneratedSceneMedia, "Where the image and the video are.", [
          ...modelResponseHeaders,
          "X-Image-Model-Id",
        ]),
      },
      errors: [...modelErrors, "scene_missing", "request_in_progress", ...fileErrors],
    }),
    noIdleTimeout,
    loadWork(services),
    loadSceneIndex,
    validateOptionalJson(SceneRequest),
    headersOfModels(SceneModelHeaders, (c, headers) => {
      const { image, video } = sceneModels(services.models, headers).choices;
      if (image.replaces !== undefined) c.header("x-image-model-id", image.model.model);
      if (video.replaces !== undefined) c.header("x-model-id", video.model.model);
    }),
    idempotent(services),
    requireStorageRoom(services),
    respondAsync(services),
    async (c) => {
      const models = sceneModels(services.models, c.req.valid("header"));
      const { project, work, sceneIndex } = c.var;
      const request = { project, work, sceneIndex, models, ...c.req.valid("json") };
      const urls = await withProviderCall(c, services, (call) => generateScene(services, call, request));
      return c.json(urls, 200);
    },
  );
