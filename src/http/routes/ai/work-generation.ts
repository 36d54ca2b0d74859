import { Hono } from "hono";
import { z } from "zod";
import { generateScene } from "../../../domain/ai/generation/generate-scene.ts";
import type { ModelChoice } from "../../../domain/ai/models.ts";
import type { Services } from "../../../domain/services.ts";
import type { SceneFile } from "../../../domain/works/scene-state.ts";
import type { AppEnv } from "../../app-env.ts";
import { idempotent } from "../../middleware/idempotency.ts";
import { loadWork } from "../../middleware/load-resource.ts";
import { noIdleTimeout } from "../../middleware/no-idle-timeout.ts";
import { requireScopes } from "../../middleware/require-scopes.ts";
import { choiceOf, ModelHeader } from "../../request/model-choice.ts";
import { callOf } from "../../request/provider-call.ts";
import { sceneInPath } from "../../request/scene-index.ts";
import { validate } from "../../request/validate.ts";

const SceneHeaders = z.object({
  "x-image-provider": ModelHeader,
  "x-image-model-id": ModelHeader,
  "x-image-api-key": ModelHeader,
  "x-video-provider": ModelHeader,
  "x-video-model-id": ModelHeader,
  "x-video-api-key": ModelHeader,
  "x-api-key": ModelHeader,
});

type SceneHeaders = z.output<typeof SceneHeaders>;

const sceneChoice = (headers: SceneHeaders, file: SceneFile): ModelChoice =>
  choiceOf({
    provider: headers[`x-${file}-provider`],
    modelId: headers[`x-${file}-model-id`],
    apiKey: headers[`x-${file}-api-key`],
  });

/** What each model is asked with. A key without a model's name goes to two providers only if they are one. */
function sceneChoices({ models }: Pick<Services, "models">, headers: SceneHeaders) {
  const own = { image: sceneChoice(headers, "image"), video: sceneChoice(headers, "video") };
  const asked = { image: models.provider("image", own.image), video: models.provider("video", own.video) };
  const isOneSecret = asked.image.id === asked.video.id || !asked.image.needsKey || !asked.video.needsKey;
  const isTold = own.image.apiKey !== undefined || own.video.apiKey !== undefined;
  const shared = isOneSecret || isTold ? choiceOf({ apiKey: headers["x-api-key"] }) : {};
  return { image: { ...shared, ...own.image }, video: { ...shared, ...own.video } };
}

export const workGenerationRoutes = (services: Services) =>
  new Hono<AppEnv>().post(
    "/:workId/generate/scene/:sceneIndex",
    requireScopes("ai:generate", "works:write"),
    noIdleTimeout,
    loadWork(services),
    sceneInPath,
    validate("header", SceneHeaders),
    idempotent(services),
    async (c) => {
      const choices = sceneChoices(services, c.req.valid("header"));
      const models = {
        image: () => services.models.image(choices.image),
        video: () => services.models.video(choices.video),
      };
      const { project, work, sceneIndex, caller } = c.var;
      const order = { project, work, sceneIndex, models };
      return c.json(await generateScene(services, { caller, call: callOf(c, services) }, order), 200);
    },
  );
