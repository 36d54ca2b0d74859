import { type Context, Hono } from "hono";
import { z } from "zod";
import { generateScene } from "../../../domain/ai/generation/generate-scene.ts";
import type { SceneModels } from "../../../domain/ai/generation/scene-plan.ts";
import type { ModelChoice, Models } from "../../../domain/ai/models.ts";
import { findShown, pictureInWork } from "../../../domain/films/steps/scene-pictures.ts";
import { namedObject } from "../../../domain/shared/schemas.ts";
import type { SceneFile } from "../../../domain/works/scene-state.ts";
import type { Services } from "../../../services.ts";
import { json } from "../../answers.ts";
import type { AppEnv } from "../../app-env.ts";
import { idempotent } from "../../middleware/idempotency.ts";
import { loadSceneIndex, loadWork } from "../../middleware/load-resource.ts";
import { noIdleTimeout } from "../../middleware/no-idle-timeout.ts";
import { requireScopes } from "../../middleware/require-scopes.ts";
import { requireStorageRoom } from "../../middleware/storage-room.ts";
import { operationsOf } from "../../openapi.ts";
import { respondAsync } from "../../operations/respond-async.ts";
import { validateOptionalJson } from "../../request/validate.ts";
import { withDefault } from "../../schemas/common.ts";
import { fileErrors, modelErrors } from "../errors.ts";
import { headersOfModels, isNamed, toModelChoice, withProviderCall } from "../model-choice.ts";
import { modelResponseHeaders, SceneModelHeaders } from "../model-headers.ts";
import { GeneratedSceneMedia } from "../views.ts";

const documented = operationsOf("AI");

const SceneRequest = namedObject("SceneRequest", { force: withDefault(z.boolean(), false) });

export const workGenerationRoutes = (services: Services) =>
  new Hono<AppEnv>().post(
    "/:workId/generate/scene/:sceneIndex",
    documented(requireScopes("ai:generate", "works:write"), {
      id: "generateScene",
      summary: "Generate the media of a scene",
      about:
        "Draws the scene's image, then makes its video from it, and saves both in the work. Existing media that were made from the same prompt, style, model and resolution stay, unless `force` is true.",
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
    headersOfModels(services, { schema: SceneModelHeaders }, (c, headers) => {
      const { image, video } = sceneModels(c, services.models, headers).choices;
      if (image.replaces !== undefined) c.header("x-image-model-id", image.model.model);
      if (video.replaces !== undefined) c.header("x-model-id", video.model.model);
    }),
    idempotent(services),
    requireStorageRoom(services),
    respondAsync(services),
    async (c) => {
      const models = sceneModels(c, services.models, c.req.valid("header"));
      const { project, work, sceneIndex } = c.var;
      const isLocal = Object.values(models.choices).every(({ model }) => model.provider === "local");
      const shown = await findShown(services, project, work);
      const picture = pictureInWork(shown, { scene: sceneIndex, isLocal });
      const request = { ...picture, sceneIndex, models, ...c.req.valid("json") };
      const urls = await withProviderCall(c, services, (call) => generateScene(services, call, request));
      return c.json(urls, 200);
    },
  );

type Headers = z.output<typeof SceneModelHeaders>;

/** Chooses both models of a scene. Throws for an unknown provider or a malformed model id, but not for keys. */
function sceneModels(c: Context<AppEnv>, models: Models, headers: Headers): SceneModels {
  const selected = {
    image: models.select("image", choiceOf(headers, "image")),
    video: models.select("video", choiceOf(headers, "video")),
  };
  const namedModel = (file: SceneFile) => {
    const { id: model, replaces } = selected[file];
    return { model, isNamed: isNamed(c, file, choiceOf(headers, file)), ...(replaces !== undefined && { replaces }) };
  };
  return {
    choices: { image: namedModel("image"), video: namedModel("video") },
    forFiles(files) {
      const withKey = files.filter((file) => selected[file].needsKey);
      const isOneProvider = new Set(withKey.map((file) => selected[file].id.provider)).size <= 1;
      return {
        image: () => models.image(choiceOf(headers, "image", isOneProvider)),
        video: () => models.video(choiceOf(headers, "video", isOneProvider)),
      };
    },
  };
}

/** `isOneProvider`: at most one of the needed models' providers takes a key. */
function choiceOf(headers: Headers, file: SceneFile, isOneProvider = false): ModelChoice {
  const modelIdHeader = modelIdHeaderOf(headers, file);
  const keyHeader = `x-${file}-api-key` as const;
  const fields = toModelChoice({
    provider: headers[`x-${file}-provider`],
    modelId: headers[modelIdHeader],
    apiKey: headers[keyHeader]?.trim() || sharedKey(headers, isOneProvider),
  });
  const otherKeyHeader = file === "image" ? "x-video-api-key" : "x-image-api-key";
  const names = isOneProvider
    ? { apiKey: "x-api-key" }
    : { apiKey: keyHeader, ...(!headers[otherKeyHeader]?.trim() && { otherApiKey: otherKeyHeader }) };
  return { ...fields, headers: { modelId: modelIdHeader, ...names } };
}

function modelIdHeaderOf(headers: Headers, file: SceneFile) {
  if (file === "image") return "x-image-model-id";
  return headers["x-video-model-id"]?.trim() ? "x-video-model-id" : "x-model-id";
}

/** Uses `x-api-key` for a model without a key of its own, unless that would send one key to two providers. */
function sharedKey(headers: Headers, isOneProvider: boolean): string | undefined {
  const hasOwnKey = headers["x-image-api-key"]?.trim() || headers["x-video-api-key"]?.trim();
  return isOneProvider || hasOwnKey ? headers["x-api-key"] : undefined;
}
